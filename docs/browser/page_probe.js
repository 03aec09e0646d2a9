// Runs inside a page, before its own scripts: what the browser drew, measured. Each function answers
// with sentences, one for each thing that is wrong; none means good.
window.ladderProbe = (function () {
  "use strict";

  // --- colours ---

  // [red, green, blue, alpha], 0 to 1
  function parse(text) {
    const numbers = (text.match(/-?[\d.]+(e-?\d+)?%?/g) || []).map(function (number) {
      return number.endsWith("%") ? parseFloat(number) / 100 : parseFloat(number);
    });
    if (/^rgba?\(/.test(text)) {
      return [numbers[0] / 255, numbers[1] / 255, numbers[2] / 255, numbers.length > 3 ? numbers[3] : 1];
    }
    if (/^color\(srgb /.test(text)) return [numbers[0], numbers[1], numbers[2], numbers.length > 3 ? numbers[3] : 1];
    throw new Error("a colour that this test cannot read: " + text);
  }

  function over(upper, lower) {
    const alpha = upper[3];
    return [0, 1, 2].map((i) => upper[i] * alpha + lower[i] * (1 - alpha)).concat(1);
  }

  function luminance(colour) {
    const linear = colour.slice(0, 3).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  }

  function ratio(a, b) {
    const x = luminance(a), y = luminance(b);
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  }

  function hex(colour) {
    return "#" + colour.slice(0, 3).map((c) => Math.round(c * 255).toString(16).padStart(2, "0")).join("");
  }

  // What an empty page is painted with: it depends on the scheme.
  function canvas() {
    const box = document.createElement("div");
    box.style.background = "Canvas";
    document.documentElement.appendChild(box);
    const colour = parse(getComputedStyle(box).backgroundColor);
    box.remove();
    return colour;
  }

  // An element's own and its ancestors' opacity.
  function makeOpacities() {
    const known = new Map([[null, 1]]);
    return function opacity(element) {
      if (!known.has(element)) {
        known.set(element, opacity(element.parentElement) * parseFloat(getComputedStyle(element).opacity));
      }
      return known.get(element);
    };
  }

  // The colour behind an element's text: its own and its ancestors' backgrounds.
  function makeBackgrounds() {
    const known = new Map(), bottom = canvas();
    return function behind(element) {
      if (!element) return bottom;
      if (known.has(element)) return known.get(element);
      const own = parse(getComputedStyle(element).backgroundColor);
      const colour = own[3] === 1 ? own : over(own, behind(element.parentElement));
      known.set(element, colour);
      return colour;
    };
  }

  // Inside a picture: the shapes that were painted before the text and lie under its middle.
  function behindInPicture(text, rect, bottom) {
    const x = (rect.left + rect.right) / 2, y = (rect.top + rect.bottom) / 2;
    let colour = bottom;
    const shapes = text.closest("svg:not(svg svg)").querySelectorAll("rect, circle, ellipse, path, polygon");
    for (const shape of shapes) {
      if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
      const style = getComputedStyle(shape);
      if (style.fill === "none" || style.visibility === "hidden" || shape.closest("defs, marker")) continue;
      const box = shape.getBoundingClientRect();
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
      if (!shape.isPointInFill || !isUnder(shape, x, y)) continue;
      const fill = parse(style.fill);
      fill[3] *= parseFloat(style.fillOpacity) * parseFloat(style.opacity);
      colour = over(fill, colour);
    }
    return colour;
  }

  function isUnder(shape, x, y) {
    const matrix = shape.getScreenCTM();
    return matrix !== null && shape.isPointInFill(new DOMPoint(x, y).matrixTransform(matrix.inverse()));
  }

  function excerpt(text) {
    return "'" + text.trim().replace(/\s+/g, " ").slice(0, 40) + "'";
  }

  function describe(element) {
    const name = element.getAttribute("class");
    return element.tagName.toLowerCase() + (element.id ? "#" + element.id : "") +
      (name ? "." + name.trim().split(/\s+/).join(".") : "");
  }

  // Text that is drawn too faintly: WCAG's AA, 4.5 to 1, or 3 to 1 if it is large. Everything that is
  // folded is opened first.
  function contrast() {
    document.querySelectorAll("details").forEach((box) => { box.open = true; });
    const behind = makeBackgrounds(), opacity = makeOpacities(), problems = new Map(), judged = new Map();
    const judge = function (element, colour, background, text) {
      const style = getComputedStyle(element), size = parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight, 10) >= 700);
      const found = ratio(colour, background), needed = large ? 3 : 4.5;
      if (found >= needed - 0.005) return;
      const key = describe(element) + hex(colour) + hex(background);
      if (problems.has(key)) return;
      problems.set(key, "contrast " + found.toFixed(2) + " of " + excerpt(text) + " in " + describe(element) +
        ": " + hex(colour) + " on " + hex(background) + ", needs " + needed);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.data.trim()) continue;
      const element = node.parentElement;
      const inPicture = element instanceof SVGElement && element.closest("text") !== null;
      if (judged.has(element) && !inPicture) continue;
      judged.set(element, true);
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const rect = range.getBoundingClientRect();
      if (rect.width === 0 || rect.height === 0) continue;
      const style = getComputedStyle(element);
      const colour = parse(inPicture ? style.fill : style.color);
      colour[3] *= opacity(element);
      let background = behind(element);
      if (inPicture) background = behindInPicture(element, rect, background);
      judge(element, over(colour, background), background, node.data);
    }
    document.querySelectorAll("input[placeholder]").forEach(function (field) {
      const colour = parse(getComputedStyle(field, "::placeholder").color);
      judge(field, over(colour, behind(field)), behind(field), field.placeholder);
    });
    return Array.from(problems.values());
  }

  // --- width ---

  // What makes a page wider than the screen. Boxes that scroll by themselves may be wide inside.
  function sideways() {
    const width = document.documentElement.clientWidth;
    if (document.scrollingElement.scrollWidth <= width) return [];
    const scrolls = function (element) {
      for (let e = element.parentElement; e && e !== document.body; e = e.parentElement) {
        if (getComputedStyle(e).overflowX !== "visible") return true;
      }
      return false;
    };
    const wide = Array.from(document.body.querySelectorAll("*")).filter(function (element) {
      return element.getBoundingClientRect().right > width + 0.5 && !scrolls(element);
    });
    return ["scrolls sideways: " + document.scrollingElement.scrollWidth + " px wide, because of " +
      wide.slice(-3).map(describe).join(", ")];
  }

  // --- addresses ---

  function addresses() {
    const links = Array.from(document.querySelectorAll("a")).map(function (link) {
      return link.getAttribute("href") || link.getAttribute("xlink:href");
    });
    return {
      links: Array.from(new Set(links.filter(Boolean))),
      ids: Array.from(document.querySelectorAll("[id], a[name]")).map((e) => e.id || e.getAttribute("name")),
    };
  }

  // --- what someone who sees nothing needs ---

  function unnamed() {
    const problems = [];
    if (!document.documentElement.lang) problems.push("the page names no language");
    if (!document.title) problems.push("the page has no title");
    document.querySelectorAll("img").forEach(function (picture) {
      if (!picture.hasAttribute("alt")) problems.push("no alternative text: " + picture.getAttribute("src"));
    });
    document.querySelectorAll("figure svg").forEach(function (picture) {
      const named = picture.getAttribute("aria-label") || picture.querySelector(":scope > title");
      if (picture.getAttribute("role") !== "img" && picture.getAttribute("role") !== "group") {
        problems.push("a picture without a role");
      }
      if (!named) problems.push("a picture without alternative text");
    });
    document.querySelectorAll("button, a[href], input, summary").forEach(function (control) {
      const name = control.textContent.trim() || control.getAttribute("aria-label") || control.title;
      if (!name) problems.push("a control without a name: " + describe(control));
    });
    const seen = new Set();
    document.querySelectorAll("[id]").forEach(function (element) {
      if (seen.has(element.id)) problems.push("two places have the id " + element.id);
      seen.add(element.id);
    });
    return problems;
  }

  // --- keyboard ---

  function tabStops() {
    return Array.from(document.querySelectorAll("a[href], button, input, summary, [tabindex]")).filter(
      (e) => e.tabIndex >= 0 && e.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }));
  }

  // Marks what the keyboard has to reach; says how many there are.
  function markTabStops() {
    return tabStops().map((e) => e.setAttribute("data-stop", "waiting")).length;
  }

  // What is wrong with where the focus is now.
  function focused() {
    const element = document.activeElement;
    if (!element || element === document.body) return { end: true, problems: [] };
    const known = element.getAttribute("data-stop");
    element.setAttribute("data-stop", "reached");
    const problems = [], style = getComputedStyle(element), rect = element.getBoundingClientRect();
    if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 1) {
      problems.push("the focus cannot be seen on " + describe(element));
    } else if (ratio(parse(style.outlineColor), makeBackgrounds()(element.parentElement)) < 3) {
      problems.push("the focus is too faint on " + describe(element));
    }
    if (rect.bottom <= 0 || rect.top >= innerHeight || rect.right <= 0 || rect.left >= innerWidth) {
      problems.push("the focus is out of sight on " + describe(element));
    }
    return { end: known === "reached", problems };
  }

  function notReached() {
    return Array.from(document.querySelectorAll("[data-stop=waiting]")).map(
      (e) => "the keyboard does not reach " + describe(e) + " " + excerpt(e.textContent));
  }

  return { contrast, sideways, addresses, unnamed, markTabStops, focused, notReached };
})();
