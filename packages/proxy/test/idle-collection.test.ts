import { expect, test } from "bun:test";
import { IdleCollection } from "../src/idle-collection.ts";

const LARGE = 100 * 1024;
const CALM_MS = 60;

function counted(isBusy: () => boolean = () => false): { collection: IdleCollection; done: string[] } {
  const done: string[] = [];
  const collector = {
    young: () => void done.push("young"),
    all: () => void done.push("all"),
    release: () => void done.push("release"),
  };
  return { collection: new IdleCollection(isBusy, collector), done };
}

test("after a large result what is young is collected, once", async () => {
  const { collection, done } = counted();
  collection.after(LARGE);
  collection.after(LARGE);
  expect(done).toEqual([]);
  await Bun.sleep(CALM_MS);
  expect(done).toEqual(["young"]);
});

test("small results leave nothing to do until they add up", async () => {
  const { collection, done } = counted();
  for (let i = 0; i < 15; i++) collection.after(2048);
  await Bun.sleep(CALM_MS);
  expect(done).toEqual([]);
  collection.after(2048);
  await Bun.sleep(CALM_MS);
  expect(done).toEqual(["young"]);
});

test("nothing is collected while a call is running", async () => {
  let busy = true;
  const { collection, done } = counted(() => busy);
  for (let i = 0; i < 20; i++) collection.after(LARGE);
  await Bun.sleep(CALM_MS);
  expect(done).toEqual([]);
  busy = false;
  await Bun.sleep(2 * CALM_MS);
  expect(done).toEqual(["young", "all"]);
});

test("after many large results everything is collected, and again only after as many", async () => {
  const { collection, done } = counted();
  for (let i = 0; i < 20; i++) collection.after(LARGE);
  await Bun.sleep(2 * CALM_MS);
  collection.after(LARGE);
  await Bun.sleep(2 * CALM_MS);
  expect(done).toEqual(["young", "all", "young"]);
});

test("where calls leave no time for more than what is young, everything takes its turn", async () => {
  const { collection, done } = counted();
  for (let i = 0; i < 9; i++) {
    for (let k = 0; k < 10; k++) collection.after(LARGE);
    while (done.length <= i) await Bun.sleep(1);
  }
  expect(done.filter((what) => what === "all").length).toBeGreaterThan(0);
});

test("after one that is very long, memory is handed back, but not at once", async () => {
  const { collection, done } = counted();
  collection.after(100 * LARGE);
  await Bun.sleep(2 * CALM_MS);
  expect(done).toEqual(["young", "release"]);
});
