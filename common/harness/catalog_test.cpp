#include "common/harness/catalog.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "common/harness/files.hpp"
#include "common/harness/verdict.hpp"

using namespace ladder;

namespace {

struct TwoChapters {
  TemporaryFolder folder;
  Tree tree{folder.path(), folder.path() / "build"};
  TwoChapters() {
    folder.write("build/solvers.txt",
                 "step 01_vector_add step_01_one_thread\n"
                 "step 01_vector_add step_02_one_block\n"
                 "ceiling 01_vector_add ceiling_copy\n"
                 "exercise 01_vector_add ex_01_guard_the_tail\n"
                 "solution 01_vector_add ex_01_guard_the_tail\n"
                 "mutant 01_vector_add mutant_lost_tail\n"
                 "program 01_vector_add whole_program\n"
                 "step 03_reduction step_02_shared\n");
  }
};

std::string only_id(const Catalog& catalog, std::string_view text) {
  const auto found = catalog.resolve(text);
  REQUIRE(found.size() == 1);
  return found[0].id();
}

}  // namespace

TEST_CASE("ids, short ids and names find the same solver") {
  const TwoChapters course;
  const Catalog catalog(course.tree);
  CHECK(catalog.all().size() == 8);
  CHECK(catalog.chapters() == std::vector<std::string>{"01_vector_add", "03_reduction"});
  for (const char* text :
       {"01.02", "1.2", "01.step_02", "01_vector_add.step_02_one_block", "vector_add.02"}) {
    CHECK(only_id(catalog, text) == "01_vector_add.step_02_one_block");
  }
  for (const char* text : {"01.ex1", "01.ex01", "01.ex_01", "01.ex_01_guard_the_tail"}) {
    CHECK(only_id(catalog, text) == "01_vector_add.ex_01_guard_the_tail");
    CHECK(catalog.resolve(text)[0].kind == SolverKind::exercise);
  }
  CHECK(only_id(catalog, "01.mutant_lost_tail") == "01_vector_add.mutant_lost_tail");
  CHECK(only_id(catalog, "01.ceiling_copy") == "01_vector_add.ceiling_copy");
  CHECK(only_id(catalog, "01.whole_program") == "01_vector_add.whole_program");
  CHECK(only_id(catalog, "03") == "03_reduction.step_02_shared");
}

TEST_CASE("a chapter gives its steps, or its exercises when asked") {
  const TwoChapters course;
  const Catalog catalog(course.tree);
  CHECK(catalog.resolve("01").size() == 2);
  CHECK(catalog.resolve("01_vector_add").size() == 2);
  const auto exercises = catalog.resolve("01", true);
  REQUIRE(exercises.size() == 1);
  CHECK(exercises[0].short_id() == "01.ex1");
  CHECK_THROWS_WITH_AS(catalog.resolve("03", true), "chapter 03 has no exercises", UsageError);
}

TEST_CASE("short ids and files follow from kind, chapter and name") {
  const TwoChapters course;
  const Catalog catalog(course.tree);
  const auto chapter = course.tree.source / "chapters" / "01_vector_add";
  CHECK(catalog.resolve("01.02")[0].short_id() == "01.02");
  CHECK(catalog.resolve("01.02")[0].file == chapter / "step_02_one_block.cu");
  CHECK(catalog.resolve("01.mutant_lost_tail")[0].short_id() == "01.mutant_lost_tail");
  CHECK(catalog.resolve("01.mutant_lost_tail")[0].file == chapter / "mutants/mutant_lost_tail.cu");
  const CatalogEntry exercise = catalog.resolve("01.ex1")[0];
  CHECK(exercise.file == chapter / "exercises/ex_01_guard_the_tail.cu");
  CHECK(catalog.solution_of(exercise).file == chapter / "solutions/ex_01_guard_the_tail.cu");
}

TEST_CASE("an unknown id is answered with the nearest one") {
  const TwoChapters course;
  const Catalog catalog(course.tree);
  const struct {
    const char* id;
    const char* suggestion;
  } table[] = {{"01.12", "'01.02'"},
               {"01.ex2", "'01.ex1'"},
               {"03.01", "'03.02'"},  // not 01.01, which is as near, but in another chapter
               {"01.mutant_lost_tial", "'01.mutant_lost_tail'"},
               {"01_vector_ad", "'01_vector_add'"},
               {"03.step_02_shard", "'03.step_02_shared'"}};
  for (const auto& row : table) {
    CAPTURE(row.id);
    try {
      catalog.resolve(row.id);
      FAIL("found something");
    } catch (const UsageError& error) {
      CHECK_MESSAGE(std::string(error.what()).find(row.suggestion) != std::string::npos,
                    error.what());
    }
  }
  CHECK_THROWS_AS(catalog.resolve(""), UsageError);
  CHECK_THROWS_AS(catalog.resolve("."), UsageError);
  CHECK_THROWS_AS(catalog.resolve("99"), UsageError);
}

TEST_CASE("a chapter that has a folder and no solvers is told to be planned") {
  const TwoChapters course;
  course.folder.write("chapters/06_softmax/chapter.cpp", "");
  const Catalog catalog(course.tree);
  for (const char* id : {"06", "6", "softmax", "06_softmax", "06.ex1"}) {
    CAPTURE(id);
    CHECK_THROWS_WITH_AS(catalog.resolve(id),
                         "chapter 06_softmax is planned: its problems are here, its steps and "
                         "exercises are not\n  its problems: ./ladder list --problems",
                         UsageError);
  }
}

TEST_CASE("a list of solvers that is absent or damaged is named") {
  TemporaryFolder folder;
  const Tree tree{folder.path(), folder.path()};
  CHECK_THROWS_AS(Catalog{tree}, UsageError);
  folder.write("solvers.txt", "step 01_vector_add\n");
  CHECK_THROWS_AS(Catalog{tree}, MachineError);
}
