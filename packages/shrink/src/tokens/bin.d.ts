// A data file imported with { type: "file" } is a path: Bun embeds the file in the executable and gives its place.
declare module "*.bin" {
  const path: string;
  export default path;
}
