// Tiles: how they walk over matrices, and what they read beside themselves.
#include <string>

#include "docs/weave/html.hpp"
#include "docs/weave/pictures/pictures.hpp"

namespace ladder::weave {

namespace {

// A matrix of tiles, some of them filled.
struct Matrix {
  double x, y;
  int rows, columns;
  double side;  // of a tile

  double right() const { return x + side * columns; }
  double bottom() const { return y + side * rows; }
  double tile_x(int column) const { return x + side * column; }
  double tile_y(int row) const { return y + side * row; }

  void grid(Svg& svg) const {
    svg.rectangle(x, y, side * columns, side * rows, "kl-cell");
    for (int r = 1; r < rows; ++r) svg.line(x, tile_y(r), right(), tile_y(r), "kl-grid");
    for (int c = 1; c < columns; ++c) svg.line(tile_x(c), y, tile_x(c), bottom(), "kl-grid");
  }
  void fill(Svg& svg, int row, int column, const char* css_class) const {
    svg.rectangle(tile_x(column), tile_y(row), side, side, css_class);
  }
  void name(Svg& svg, const std::string& words) const {
    svg.text((x + right()) / 2, y - 8, words, "kl-small", "middle");
  }
};

}  // namespace

Picture transpose_walk(PictureRequest&) {
  constexpr int row = 1, column = 4;
  const Matrix input{12, 30, 4, 6, 24}, output{310, 30, 6, 4, 24};
  const Matrix tile{204, 52, 4, 4, 14};
  Svg svg(424, 204, "A tile is transposed",
          "The tile in row 1 and column 4 of the input is read row by row into shared memory, "
          "and written row by row to the tile in row 4 and column 1 of the output.");
  input.grid(svg);
  input.name(svg, "input, rows × cols");
  output.grid(svg);
  output.name(svg, "output, cols × rows");
  input.fill(svg, row, column, "kl-lane-1");
  output.fill(svg, column, row, "kl-lane-1");
  tile.grid(svg);
  tile.name(svg, "shared memory");
  for (int i = 0; i < tile.columns; ++i) {
    tile.fill(svg, 1, i, "kl-lane-1");
    if (i != 1) tile.fill(svg, i, 2, "kl-lane-2");
  }
  svg.arrow(input.tile_x(column + 1), input.tile_y(row) + 12, tile.x - 2, tile.tile_y(1) + 7);
  svg.arrow(tile.right() + 2, tile.tile_y(3), output.x + 22, output.tile_y(column) + 10);
  svg.text((input.x + input.right()) / 2, input.bottom() + 20, "read row by row", "kl-small",
           "middle");
  svg.text((tile.x + tile.right()) / 2, tile.bottom() + 20, "in by rows,", "kl-small", "middle");
  svg.text((tile.x + tile.right()) / 2, tile.bottom() + 37, "out by columns", "kl-small", "middle");
  svg.text((output.x + output.right()) / 2, output.bottom() + 20, "written row by row", "kl-small",
           "middle");
  return {svg,
          "Both sides of global memory are touched row by row; only shared memory is read by "
          "columns."};
}

Picture matmul_walk(PictureRequest& request) {
  // The contract's names: A is M×N, B is N×K, C is M×K.
  constexpr int row = 2, column = 3, inner = 5;
  const int step = request.number("step", 2, 0, inner - 1);
  constexpr double side = 26;
  const Matrix b{190, 28, inner, 5, side};
  const Matrix a{30, b.bottom() + 26, 4, inner, side};
  const Matrix c{190, a.y, 4, 5, side};
  Svg svg(c.right() + 14, c.bottom() + 12, "Tiles walk through a matrix product",
          "For one tile of C, a tile walks to the right along a row of tiles of A while another "
          "walks down a column of tiles of B. At step " +
              std::to_string(step) + " tile " + std::to_string(step) + " of each is in use.");
  a.grid(svg);
  b.grid(svg);
  c.grid(svg);
  a.name(svg, "A, M × N");
  b.name(svg, "B, N × K");
  svg.text((c.x + c.right()) / 2, c.y - 8, "C, M × K", "kl-small", "middle");
  for (int i = 0; i < inner; ++i) {
    a.fill(svg, row, i, i < step ? "kl-cell-1" : i == step ? "kl-lane-1 kl-thick" : "kl-cell");
    b.fill(svg, i, column, i < step ? "kl-cell-2" : i == step ? "kl-lane-2 kl-thick" : "kl-cell");
  }
  c.fill(svg, row, column, "kl-lane-3 kl-thick");
  const double y = a.tile_y(row) + side / 2, x = b.tile_x(column) + side / 2;
  if (step + 1 < inner) {
    svg.arrow(a.tile_x(step) + side / 2, y, a.right() - 5, y);
    svg.arrow(x, b.tile_y(step) + side / 2, x, b.bottom() - 5);
  }
  return {svg,
          "A block computes one tile of C. It adds up the products of the tiles that it meets "
          "while it walks along A's row and down B's column."};
}

Picture register_tile(PictureRequest& request) {
  const int rows = request.number("rows", 4, 1, 8), columns = request.number("cols", 4, 1, 8);
  constexpr double side = 26;
  const Matrix product{150, 72, rows, columns, side};
  const Matrix a{product.x - side - 22, product.y, rows, 1, side};
  const Matrix b{product.x, product.y - side - 14, 1, columns, side};
  const int loads = rows + columns, products = rows * columns;
  const std::string counted =
      std::to_string(loads) + " values loaded for " + std::to_string(products) +
      " multiply-adds: " + fixed(static_cast<double>(products) / loads, 2) + " for each value";
  Svg svg(product.right() + 100, product.bottom() + 30, "A thread's register tile",
          "A thread holds " + std::to_string(rows) + " values of A and " + std::to_string(columns) +
              " of B in registers and adds their products to its tile: " + counted + ".");
  for (int r = 0; r < rows; ++r) a.fill(svg, r, 0, "kl-lane-1");
  for (int c = 0; c < columns; ++c) b.fill(svg, 0, c, "kl-lane-2");
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) product.fill(svg, r, c, "kl-lane-3");
  }
  svg.text(a.x - 8, a.y + 17, "a column of A", "kl-small", "end");
  svg.text(b.x, b.y - 8, "a row of B", "kl-small");
  const double y = a.tile_y(rows / 2) + side / 2, x = b.tile_x(columns / 2) + side / 2;
  svg.arrow(a.right() + 3, y, product.x - 3, y);
  svg.arrow(x, b.bottom() + 1, x, product.y - 1);
  svg.text(product.right() + 10, product.y + 17, "sums that", "kl-small");
  svg.text(product.right() + 10, product.y + 34, "stay here", "kl-small");
  svg.text(product.x - side - 22, product.bottom() + 20, "all of it in one thread's registers",
           "kl-small");
  return {svg, "One step of the inner loop: " + counted + "."};
}

Picture halo(PictureRequest& request) {
  const int tile = request.number("tile", 8, 2, 16), kernel = request.number("kernel", 3, 1, 9);
  const int side = tile + kernel - 1, before = (kernel - 1) / 2;
  const double cell = std::min(18.0, 250.0 / side);
  const Matrix input{14, 30, side, side, cell};
  const Matrix output{input.right() + 60, input.tile_y(before), tile, tile, cell};
  const int loads = side * side, outputs = tile * tile;
  const std::string counted = std::to_string(loads) + " loads for " + std::to_string(outputs) +
                              " outputs: " + fixed(static_cast<double>(loads) / outputs, 2) +
                              " for each, where a kernel without a tile loads " +
                              std::to_string(kernel * kernel);
  Svg svg(output.right() + 14, input.bottom() + 12, "A tile and its halo",
          "An input tile of " + std::to_string(side) + " by " + std::to_string(side) +
              " elements, of which the outer ones are the halo, gives " + std::to_string(tile) +
              " by " + std::to_string(tile) + " outputs. " + counted + ".");
  svg.rectangle(input.x, input.y, cell * side, cell * side, "kl-lane-2");
  svg.rectangle(input.tile_x(before), input.tile_y(before), cell * tile, cell * tile, "kl-lane-1");
  svg.rectangle(output.x, output.y, cell * tile, cell * tile, "kl-lane-3");
  for (const Matrix* matrix : {&input, &output}) {
    for (int i = 1; i < matrix->rows; ++i) {
      svg.line(matrix->x, matrix->tile_y(i), matrix->right(), matrix->tile_y(i), "kl-line");
      svg.line(matrix->tile_x(i), matrix->y, matrix->tile_x(i), matrix->bottom(), "kl-line");
    }
  }
  // One window, in the corner where it needs the halo most.
  svg.rectangle(input.x, input.y, cell * kernel, cell * kernel, "kl-moved");
  svg.rectangle(output.x, output.y, cell, cell, "kl-moved");
  svg.arrow(input.tile_x(kernel) + 2, input.tile_y(0) + cell * kernel / 2, output.x - 3,
            output.y + cell / 2);
  input.name(svg, "input in shared memory");
  output.name(svg, "outputs");
  return {svg,
          "The halo is what the windows at the tile's edges need beside it. Here " + counted + "."};
}

}  // namespace ladder::weave
