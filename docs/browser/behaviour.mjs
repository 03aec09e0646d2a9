// What pages do when somebody uses them: search, folds, keys, addresses of lines, copying, print.
import path from "node:path";
import { pathToFileURL } from "node:url";

import { exercisesOf, rarestWord, stepsOf } from "./course_files.mjs";

export async function behaviourProblems(context, { site, source, wide, narrow, say }) {
  const page = await context.newPage();
  const steps = stepsOf(source), exercises = exercisesOf(source);
  const step = steps.find((one) => one.page.includes("05")) || steps[0], exercise = exercises[0];
  const open = async (file, size = wide) => {
    await page.setViewportSize(size);
    await page.goto("about:blank"); // so that the next address is loaded, not scrolled to
    await page.goto(pathToFileURL(path.join(site, file.split("#")[0])).href + (file.match(/#.*/) || [""])[0]);
  };
  const tools = { page, open, say, wide, narrow };
  await search(tools, steps);
  await languages(tools, step.page);
  await hints(tools, exercise.page);
  await lines(tools, step.page);
  await difference(tools, step.page);
  await copying(tools, step.page);
  await contents(tools, step.page);
  await theme(tools, step.page);
  await print(tools, step.page);
  await speed(tools, step.page);
  for (const file of ["index.html", step.page, exercise.page]) {
    await keyboard(tools, file, wide);
  }
  await keyboard(tools, step.page, narrow);
  await page.close();
}

// The pages that the search names for some words, best first.
async function found(page, words) {
  await page.fill("#kl-search", words);
  return page.$$eval("#kl-found a", (links) => links.map((link) => link.getAttribute("href")));
}

async function search({ page, open, say }, steps) {
  await open("index.html");
  await page.keyboard.press("/");
  const field = await page.evaluate(() => document.activeElement.id);
  if (field !== "kl-search") say("index.html", "the key / does not lead to the search");
  await page.keyboard.type("float4");
  await page.waitForSelector("#kl-found a", { timeout: 20000 }).catch(() => {});
  for (const step of steps) {
    for (const feature of step.features) {
      const pages = await found(page, feature);
      if (!pages.some((url) => url.startsWith(step.page))) {
        say(step.page, `the search does not find this step by its feature '${feature}', but ${pages}`);
      }
    }
    const word = rarestWord(step, steps);
    const pages = await found(page, word);
    if (!pages.some((url) => url.startsWith(step.page))) {
      say(step.page, `the search does not find this step by '${word}' of its program, but ${pages}`);
    }
  }
  if ((await found(page, "qqqqzzzz")).length > 0) say("index.html", "the search finds a word that is nowhere");
  const words = await page.textContent("#kl-found");
  if (words.trim() === "") say("index.html", "the search does not say that it found nothing");
  await found(page, "float4");
  await page.keyboard.press("ArrowDown");
  const first = await page.evaluate(() => document.activeElement.closest("#kl-found") !== null);
  if (!first) say("index.html", "the arrow key does not lead from the search to what it found");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => !location.pathname.endsWith("/index.html"), null, { timeout: 10000 })
    .catch(() => say("index.html", "Enter does not open what the search found"));
}

// From a page to the same one in Chinese, where the search knows Chinese, and back.
async function languages({ page, open, say }, file) {
  await open(file);
  await page.click(".kl-language");
  await page.waitForLoadState();
  if (!page.url().endsWith("/zh/" + file)) say(file, "the way to Chinese leads to " + page.url());
  if ((await page.getAttribute("html", "lang")) !== "zh-CN") say(file, "the Chinese page does not say so");
  await page.fill("#kl-search", "float4");
  await page.waitForSelector("#kl-found a", { timeout: 20000 }).catch(() => {});
  const pages = await found(page, "网格跨步");
  if (pages.length === 0) say(file, "the search does not find Chinese words");
  await page.click(".kl-language");
  await page.waitForLoadState();
  if (page.url().includes("/zh/")) say(file, "the way from Chinese does not lead back");
}

async function hints({ page, open, say }, file) {
  await open(file);
  const boxes = await page.$$("details.kl-hint");
  if (boxes.length !== 3) say(file, `an exercise has three hints, not ${boxes.length}`);
  const shown = () => page.$$eval("details.kl-hint > div", (texts) => texts.map((text) => text.checkVisibility()));
  if ((await shown()).some(Boolean)) say(file, "a hint is open before anybody asked");
  for (let i = 0; i < boxes.length; ++i) {
    const summary = await boxes[i].$("summary");
    if (i === 0) {
      await summary.click();
    } else {
      await summary.focus();
      await page.keyboard.press("Enter");
    }
    const wanted = boxes.map((box, at) => at <= i).join();
    if ((await shown()).join() !== wanted) say(file, `opening hint ${i + 1} does not show it alone`);
    if ((await boxes[i].textContent()).trim().length < 30) say(file, `hint ${i + 1} says nothing`);
  }
}

async function lines({ page, open, say }, file) {
  await open(file);
  const numbers = await page.$$eval(".kl-line > a.kl-number", (all) => all.map((a) => a.textContent));
  if (numbers.length < 10) return say(file, "the program's lines have no addresses");
  const line = numbers[Math.floor(numbers.length / 2)];
  await page.click(`#L${line} > a.kl-number`);
  const colours = await page.evaluate(([here, other]) => [location.hash,
    ...[here, other].map((n) => getComputedStyle(document.getElementById("L" + n)).backgroundColor)],
  [line, numbers[0]]);
  if (colours[0] !== "#L" + line) say(file, "a line's number is no link to it");
  if (colours[1] === colours[2]) say(file, "the line that the address names does not stand out");
  await open(file + "#L" + line);
  const box = await page.locator("#L" + line).boundingBox();
  if (box.y < 40 || box.y > 860) say(file, "the address of a line does not lead to it");
}

async function difference({ page, open, say, wide, narrow }, file) {
  const sides = () => page.$eval(".kl-hunk.kl-changed", (row) =>
    [".kl-before", ".kl-after"].map((side) => {
      const box = row.querySelector(side).getBoundingClientRect();
      return { left: box.left, top: box.top };
    }));
  await open(file, wide);
  const summary = page.locator("details.kl-difference > summary");
  if (!/\+\d+ −\d+/.test(await summary.textContent())) say(file, "the comparison does not say how much changed");
  if (await page.locator(".kl-hunk").first().isVisible()) say(file, "the comparison is not folded");
  await summary.click();
  const [before, after] = await sides();
  if (before.top !== after.top || before.left >= after.left) say(file, "a wide screen does not compare side by side");
  await page.setViewportSize(narrow);
  const [above, below] = await sides();
  if (above.left !== below.left || above.top > below.top) say(file, "a narrow screen compares side by side");
}

async function copying({ page, open, say }, file) {
  await open(file);
  await page.locator("details.kl-plain > summary").click();
  const [button, text] = [page.locator(".kl-plain .kl-copy"), page.locator(".kl-plain pre")];
  const wanted = await text.textContent();
  await button.click();
  await page.evaluate(() => {
    const area = document.createElement("textarea");
    area.id = "pasted";
    document.body.prepend(area);
    area.focus();
  });
  await page.keyboard.press("Control+V");
  const pasted = await page.inputValue("#pasted");
  if (pasted !== wanted || !pasted.includes("__global__")) say(file, "the copy button does not copy the program");
}

async function contents({ page, open, say, narrow }, file) {
  await open(file, narrow);
  const list = page.locator("#kl-contents"), button = page.locator("#kl-menu");
  if (await list.isVisible()) say(file, "a narrow screen shows the contents unasked");
  await button.focus();
  await page.keyboard.press("Enter");
  if (!(await list.isVisible())) say(file, "the contents button does not open them");
  if ((await button.getAttribute("aria-expanded")) !== "true") say(file, "the contents button does not say that it is open");
  const here = await list.locator("a[aria-current=page]").getAttribute("href");
  if (here !== file) say(file, `the contents mark ${here} as the page that is open`);
  await page.keyboard.press("Escape");
  if (await list.isVisible()) say(file, "Escape does not close the contents");
}

async function theme({ page, open, say }, file) {
  await open(file);
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.click("#kl-theme");
  const dark = await background();
  if (light === dark) say(file, "the button for light and dark changes nothing");
  await page.reload();
  if ((await background()) !== dark) say(file, "the choice of light or dark is forgotten");
  await page.click("#kl-theme");
}

async function print({ page, open, say }, file) {
  await open(file);
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  for (const name of [".kl-bar", "#kl-contents", ".kl-copy", ".kl-skip"]) {
    if (await page.locator(name).first().isVisible()) say(file, `${name} is printed`);
  }
  for (const name of [".kl-difference > .kl-code", ".kl-plain pre"]) {
    if (!(await page.locator(name).first().isVisible())) say(file, `${name} is not printed`);
  }
  await page.setViewportSize({ width: 700, height: 1000 });
  const cut = await page.$$eval(".kl-code, .kl-scroll", (boxes) =>
    boxes.filter((box) => getComputedStyle(box).overflowX !== "visible").length);
  if (cut > 0) say(file, `${cut} boxes would be cut off in print`);
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  await page.emulateMedia({ media: "screen" });
  if (await page.locator(".kl-plain pre").first().isVisible()) say(file, "printing leaves open what was folded");
}

// From disk, the best of ten at most: what else the machine does is not the page's fault.
async function speed({ page, open, say }, file) {
  let best = Infinity;
  for (let i = 0; i < 10 && best > 1000; ++i) {
    await open(file);
    await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
    best = Math.min(best, await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0].startTime));
  }
  if (best > 1000) say(file, `the first view takes ${best.toFixed(0)} ms`);
}

// From the top with Tab: the skip link comes first and works, and nothing is left out.
async function keyboard({ page, open, say }, file, size) {
  await open(file, size);
  const all = await page.evaluate(() => window.ladderProbe.markTabStops());
  for (let i = 0; i < all + 5; ++i) {
    await page.keyboard.press("Tab");
    const { end, problems } = await page.evaluate(() => window.ladderProbe.focused());
    problems.forEach((text) => say(file, `at ${size.width} px: ${text}`));
    if (end) break;
  }
  (await page.evaluate(() => window.ladderProbe.notReached())).forEach((text) => say(file, text));
  await open(file, size);
  await page.keyboard.press("Tab");
  const first = await page.evaluate(() => document.activeElement.className);
  if (first !== "kl-skip") say(file, "the keyboard does not come to the skip link first");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  const behind = await page.evaluate(() => {
    const text = document.querySelector(".contents");
    return text.contains(document.activeElement) || text.querySelector("a[href], button, summary, [tabindex='0']") === null;
  });
  if (!behind) say(file, "the skip link does not lead to the text");
}
