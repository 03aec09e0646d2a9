// Opens every page of the course's site from file:// in Chromium and says what is wrong with it.
//
//   node site_test.mjs SITE SOURCE CHROMIUM [PICTURES PAGE.html ...]
//
// SITE is the folder of index.html, SOURCE the course's, whose files say what the search must find.
// PICTURES is a folder for screenshots of the pages that follow. Exit code 1 if anything is wrong.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

import { behaviourProblems } from "./behaviour.mjs";
import { takePictures } from "./pictures.mjs";

const wide = { width: 1440, height: 900 };
const narrow = { width: 390, height: 844 };
const atATime = Math.max(2, Math.min(6, os.availableParallelism()));

const [site, source, browserPath, pictures, ...pictured] = process.argv.slice(2);
const probe = path.join(path.dirname(fileURLToPath(import.meta.url)), "page_probe.js");

function pagesOf(folder) {
  return fs.readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".html"))
    .sort();
}

// A context whose pages tell `problem` of errors, of requests that fail and of requests that leave
// the site.
async function openContext(browser, problem) {
  const context = await browser.newContext({ viewport: wide, colorScheme: "light", reducedMotion: "reduce" });
  await context.addInitScript({ path: probe });
  const home = pathToFileURL(site).href + "/";
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problem("the console says: " + message.text());
  });
  context.on("weberror", (error) => problem("a script failed: " + error.error().message));
  context.on("requestfailed", (request) => problem("could not be loaded: " + request.url()));
  context.on("request", (request) => {
    if (!request.url().startsWith(home) && !request.url().startsWith("data:")) {
      problem("asks for something outside the site: " + request.url());
    }
  });
  return context;
}

// Formulas are set after the page is there.
async function settled(page) {
  await page.evaluate(async () => {
    const waiting = document.querySelector("script[src$='MathJax.js']");
    while (waiting && !(window.MathJax && window.MathJax.isReady)) {
      await new Promise((later) => setTimeout(later, 20));
    }
    if (waiting) await new Promise((done) => window.MathJax.Hub.Queue(done));
  });
}

// Everything that one page can be asked by itself. Light and dark, wide and narrow.
async function look(page, file) {
  await page.setViewportSize(wide);
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(pathToFileURL(path.join(site, file)).href);
  await settled(page);
  const problems = await page.evaluate(() => window.ladderProbe.unnamed());
  const addresses = await page.evaluate(() => window.ladderProbe.addresses());
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    problems.push(...(await page.evaluate(() => window.ladderProbe.contrast()))
      .map((text) => `${colorScheme}: ${text}`));
  }
  for (const size of [wide, narrow]) {
    await page.setViewportSize(size);
    problems.push(...(await page.evaluate(() => window.ladderProbe.sideways()))
      .map((text) => `at ${size.width} px: ${text}`));
  }
  return { problems, addresses };
}

async function lookAtAll(browser, files, say) {
  const waiting = [...files], addresses = new Map();
  const worker = async () => {
    let file = "";
    const context = await openContext(browser, (text) => say(file, text));
    const page = await context.newPage();
    while (waiting.length > 0) {
      file = waiting.shift();
      try {
        const found = await look(page, file);
        found.problems.forEach((text) => say(file, text));
        addresses.set(file, found.addresses);
      } catch (error) {
        say(file, "could not be looked at: " + error.message);
      }
    }
    await context.close();
  };
  await Promise.all(Array.from({ length: Math.min(atATime, files.length) }, worker));
  return addresses;
}

// Links that lead nowhere, and pages that nothing leads to.
function checkLinks(addresses, say) {
  const reached = new Set(["index.html"]);
  for (const [file, { links }] of addresses) {
    for (const link of links) {
      if (/^https?:/.test(link)) continue; // another's site, which this test does not ask
      const [target, anchor] = link.split("#");
      const to = target === "" ? file : path.normalize(path.join(path.dirname(file), decodeURIComponent(target)));
      if (to !== file) reached.add(to);
      if (!fs.existsSync(path.join(site, to))) {
        say(file, `the link ${link} leads nowhere`);
      } else if (anchor && addresses.has(to) && !addresses.get(to).ids.includes(decodeURIComponent(anchor))) {
        say(file, `the link ${link} leads to no place on its page`);
      }
    }
  }
  for (const file of addresses.keys()) {
    // Solutions are found by who looks for them.
    if (!reached.has(file) && !file.endsWith("_solution.html")) say(file, "no page leads here");
  }
}

const browser = await chromium.launch({
  executablePath: browserPath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const wrong = new Map(); // sentence -> files
const say = (file, text) => wrong.set(text, (wrong.get(text) || new Set()).add(file));
const files = pagesOf(site);
const begin = Date.now();
try {
  if (files.length === 0) say(site, "there are no pages");
  checkLinks(await lookAtAll(browser, files, say), say);
  const context = await openContext(browser, (text) => say("while it was used", text));
  await behaviourProblems(context, { site, source, wide, narrow, say });
  if (pictures) await takePictures(context, { site, folder: pictures, files: pictured, wide, narrow, settled });
} finally {
  await browser.close();
}
for (const [text, where] of wrong) {
  const names = [...where];
  const others = names.length > 3 ? ` and ${names.length - 3} more` : "";
  console.log(`${names.slice(0, 3).join(", ")}${others}: ${text}`);
}
console.log(`${files.length} pages, ${wrong.size} problems, ${((Date.now() - begin) / 1000).toFixed(1)} s`);
process.exitCode = wrong.size === 0 ? 0 : 1;
