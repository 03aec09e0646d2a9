// Screenshots of a chapter's, a step's and an exercise's page for somebody to look at.
import path from "node:path";
import { pathToFileURL } from "node:url";

export async function takePictures(context, { site, folder, files, wide, narrow, settled }) {
  const page = await context.newPage();
  for (const file of files) {
    for (const size of [wide, narrow]) {
      for (const colorScheme of ["light", "dark"]) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        await page.goto(pathToFileURL(path.join(site, file)).href);
        await settled(page);
        const name = [file.replace(/\.html$/, "").replaceAll("/", "-"), size.width, colorScheme].join("-");
        await page.screenshot({ path: path.join(folder, name + ".png"), fullPage: true });
      }
    }
  }
  await page.close();
}
