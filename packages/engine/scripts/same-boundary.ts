// npm run same-boundary [-- COUNT]: all generated layouts, of which packages/engine/test/sandbox/same-boundary.test.ts takes a share.
import { differences, LAYOUTS, missing, removeLayouts } from "../test/sandbox/boundary-layouts.ts";

/** Each waits for its sandboxes most of the time. */
const AT_ONCE = 4;

process.exitCode = await main(Number(process.argv[2] ?? LAYOUTS));

async function main(count: number): Promise<number> {
  if (missing !== undefined) {
    console.error(`same-boundary: ${missing}`);
    return 2;
  }
  const found: string[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) found.push(...(await differences(number)));
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    removeLayouts();
  }
  for (const one of found) console.log(one);
  console.log(`${count} layouts, ${found.length} differences between the shell and the file tools`);
  return found.length === 0 ? 0 : 1;
}
