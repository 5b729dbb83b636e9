// The programs people use, each through the gate to a server of this machine: git over https and ssh, npm, pip, cargo, go.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestNetwork, missing } from "./harness.ts";

const has = (name: string): boolean => Bun.which(name) !== null;
const why = (name: string): string => (has(name) ? "" : ` (skipped: ${name} is not there)`);
const HOSTS = ["reg.test", "git.test", "sums.test"];

describe.skipIf(missing !== undefined)(`programs ${missing ?? ""}`, () => {
  const files = new Map<string, Uint8Array | string>();
  let server: Bun.Server<undefined>;
  let network: TestNetwork;
  let sshd: Bun.Subprocess | undefined;
  let origin = "";

  const outside = async (text: string): Promise<string> => {
    const child = Bun.spawn(["bash", "-ec", text], {
      cwd: network.root,
      env: { PATH: `${process.env["PATH"]}:/usr/sbin`, HOME: network.root, GIT_CONFIG_NOSYSTEM: "1" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      lazy: true,
    });
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    if (code !== 0) throw new Error(`${text}: ${out}${err}`);
    return out;
  };

  beforeAll(async () => {
    const sshPort = freePort();
    // Aliases need the ports: the server gets one before the certificate that needs the folder of the network.
    const port = freePort();
    network = new TestNetwork({
      unknownHosts: "deny",
      allow: [...HOSTS.map((host) => `${host}:443=127.0.0.1:${port}`), `git.test:22=127.0.0.1:${sshPort}`],
    });
    origin = path.join(network.root, "served");
    mkdirSync(origin);
    await outside(`openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test \
      -addext subjectAltName=${HOSTS.map((host) => `DNS:${host}`).join()} -keyout key.pem -out home/ca.pem 2>/dev/null
      git init -q repo; cd repo; echo hello > file; git add file
      git -c user.name=t -c user.email=t@t commit -qm one; cd ..
      git clone -q --bare repo served/repo.git; git -C served/repo.git update-server-info
      chmod -R a+rX .`);
    server = Bun.serve({
      hostname: "127.0.0.1",
      port,
      tls: {
        cert: readFileSync(path.join(network.home, "ca.pem"), "utf8"),
        key: readFileSync(path.join(network.root, "key.pem"), "utf8"),
      },
      fetch: (request) => respond(new URL(request.url).pathname),
    });
    if (existsSync("/usr/sbin/sshd")) {
      await outside(`ssh-keygen -q -t ed25519 -N '' -f host; ssh-keygen -q -t ed25519 -N '' -f home/id
        cp home/id.pub authorized; chmod 600 authorized; mkdir -p /run/sshd || true
        echo "git.test $(cut -d' ' -f1,2 host.pub)" > home/known`);
      const options = [`Port=${sshPort}`, "ListenAddress=127.0.0.1", `HostKey=${network.root}/host`, "StrictModes=no"];
      const keys = [
        `AuthorizedKeysFile=${network.root}/authorized`,
        "PermitRootLogin=yes",
        "UsePAM=no",
        "PidFile=none",
      ];
      sshd = Bun.spawn(
        ["/usr/sbin/sshd", "-D", "-e", "-f", "/dev/null", ...[...options, ...keys].flatMap((o) => ["-o", o])],
        {
          stdio: ["ignore", "ignore", "pipe"],
          env: { PATH: process.env["PATH"] ?? "" },
          lazy: true,
        },
      );
      await (sshd.stderr as ReadableStream<Uint8Array>).getReader().read(); // "Server listening on …"
    }
  });

  afterAll(async () => {
    sshd?.kill();
    await server.stop(true);
    await network[Symbol.asyncDispose]();
  });

  const env = (): Record<string, string> => ({
    SSL_CERT_FILE: `${network.home}/ca.pem`,
    CURL_CA_BUNDLE: `${network.home}/ca.pem`,
    GIT_SSL_CAINFO: `${network.home}/ca.pem`,
    NODE_EXTRA_CA_CERTS: `${network.home}/ca.pem`,
    REQUESTS_CA_BUNDLE: `${network.home}/ca.pem`,
    npm_config_cafile: `${network.home}/ca.pem`,
    PIP_CERT: `${network.home}/ca.pem`,
    CARGO_HTTP_CAINFO: `${network.home}/ca.pem`,
    TMPDIR: network.home,
    GOTOOLCHAIN: "local",
    RUSTUP_HOME: process.env["RUSTUP_HOME"] ?? `${process.env["HOME"]}/.rustup`,
  });

  function respond(where: string): Response {
    const known = files.get(where);
    if (known !== undefined) return new Response(known, { headers: { "content-type": "text/html" } });
    try {
      return new Response(readFileSync(path.join(origin, path.normalize(where))));
    } catch {
      // Not there, or a folder.
      return new Response("", { status: 404 });
    }
  }

  const go = async (text: string): Promise<string> => {
    const ran = await network.run(`set -e; env | grep -i _proxy && exit 9\n${text}`, { env: env() });
    if (ran.code !== 0) throw new Error(`${ran.out}${ran.err}${ran.lines.join("\n")}`);
    expect(ran.lines).toEqual([]);
    return ran.out;
  };

  test(`git over https${why("git")}`, async () => {
    expect(await go("git clone -q https://git.test/repo.git a && cat a/file")).toBe("hello\n");
  });

  test.skipIf(!existsSync("/usr/sbin/sshd"))("git over ssh", async () => {
    const ssh = `ssh -F none -i $HOME/id -o UserKnownHostsFile=$HOME/known -o IdentitiesOnly=yes`;
    const user = (await outside("id -un")).trim();
    const from = `ssh://${user}@git.test${origin}/repo.git`;
    expect(await go(`GIT_SSH_COMMAND="${ssh}" git clone -q ${from} b && cat b/file`)).toBe("hello\n");
  });

  test(`npm${why("npm")}`, async () => {
    await outside(`mkdir -p pack/package; cd pack
      echo '{"name":"left","version":"1.0.0","main":"i.js"}' > package/package.json; echo 'module.exports = "left"' > package/i.js
      tar czf ../served/left.tgz package`);
    const dist = { tarball: "https://reg.test/left.tgz" };
    const version = { name: "left", version: "1.0.0", dist };
    files.set(
      "/left",
      JSON.stringify({ name: "left", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } }),
    );
    const text =
      "mkdir n; cd n; npm install left --no-update-notifier --fetch-retries=0 --no-audit --no-fund --registry https://reg.test/ >&2; node -p 'require(\"left\")'";
    expect(await go(text)).toBe("left\n");
  });

  test(`pip${why("python3")}`, async () => {
    await outside(`python3 - <<'END'
import zipfile
with zipfile.ZipFile("served/left-1.0-py3-none-any.whl", "w") as z:
    z.writestr("left.py", "name = 'left'\\n")
    z.writestr("left-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: left\\nVersion: 1.0\\n")
    z.writestr("left-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    z.writestr("left-1.0.dist-info/RECORD", "left.py,,\\nleft-1.0.dist-info/METADATA,,\\nleft-1.0.dist-info/WHEEL,,\\nleft-1.0.dist-info/RECORD,,\\n")
END`);
    files.set("/simple/left/", '<a href="/left-1.0-py3-none-any.whl">left-1.0-py3-none-any.whl</a>');
    const text = `$(python3 -c "import sys; print(sys.executable)") -m pip install -q --isolated --disable-pip-version-check --cert $HOME/ca.pem --no-cache-dir --target p \
      --index-url https://reg.test/simple left >&2; PYTHONPATH=p python3 -c 'import left; print(left.name)'`;
    expect(await go(text)).toBe("left\n");
  });

  test.skipIf(!has("cargo"))(`cargo${why("cargo")}`, async () => {
    await outside(`mkdir -p left-1.0.0/src; cd left-1.0.0; echo 'pub fn name() -> &'"'"'static str { "left" }' > src/lib.rs
      printf '[package]\\nname = "left"\\nversion = "1.0.0"\\nedition = "2021"\\n' > Cargo.toml
      cd ..; tar czf served/left.crate left-1.0.0`);
    const crate = readFileSync(path.join(origin, "left.crate"));
    const cksum = new Bun.CryptoHasher("sha256").update(crate).digest("hex");
    files.set("/index/config.json", JSON.stringify({ dl: "https://reg.test/left.crate?{crate}" }));
    files.set(
      "/index/le/ft/left",
      `${JSON.stringify({ name: "left", vers: "1.0.0", deps: [], cksum, features: {}, yanked: false })}\n`,
    );
    mkdirSync(path.join(network.home, "cargo"));
    writeFileSync(
      path.join(network.home, "cargo/config.toml"),
      '[source.crates-io]\nreplace-with = "own"\n[source.own]\nregistry = "sparse+https://reg.test/index/"\n',
    );
    const text = `mkdir c; cd c; export CARGO_HOME=$HOME/cargo; mkdir src; echo 'fn main() {}' > src/main.rs
      printf '[package]\\nname = "c"\\nversion = "1.0.0"\\nedition = "2021"\\n[dependencies]\\nleft = "1"\\n' > Cargo.toml
      cargo fetch >&2; ls $CARGO_HOME/registry/src/*`;
    expect(await go(text)).toBe("left-1.0.0\n");
  });

  test.skipIf(!has("go"))(`go${why("go")}`, async () => {
    await outside(`python3 - <<'END'
import zipfile
with zipfile.ZipFile("served/left.zip", "w") as z:
    z.writestr("left.test/left@v1.0.0/go.mod", "module left.test/left\\n")
    z.writestr("left.test/left@v1.0.0/left.go", "package left\\nconst Name = \\"left\\"\\n")
END`);
    const at = "/go/left.test/left/@v";
    files.set(`${at}/list`, "v1.0.0\n");
    files.set(`${at}/v1.0.0.info`, '{"Version":"v1.0.0"}');
    files.set(`${at}/v1.0.0.mod`, "module left.test/left\n");
    files.set(`${at}/v1.0.0.zip`, readFileSync(path.join(origin, "left.zip")));
    const text = `mkdir g; cd g; export GOPROXY=https://reg.test/go GOSUMDB=off GOFLAGS=-modcacherw
      go mod init g 2>/dev/null; go get left.test/left@latest >&2; cat go.sum | cut -d' ' -f1 | sort -u`;
    expect(await go(text)).toBe("left.test/left\n");
  });

  test.each([
    ["curl", "curl -sS https://reg.test/hello"],
    ["wget", "wget -qO- --ca-certificate=$HOME/ca.pem https://reg.test/hello"],
    ["node fetch", `node -e 'fetch("https://reg.test/hello").then(r => r.text()).then(t => process.stdout.write(t))'`],
    [
      "python urllib",
      `python3 -c 'import urllib.request as r; print(r.urlopen("https://reg.test/hello").read().decode(), end="")'`,
    ],
    [
      "python requests",
      `python3 -c 'from pip._vendor import requests; print(requests.get("https://reg.test/hello").text, end="")'`,
    ],
  ])("%s over https", async (_, text) => {
    files.set("/hello", "hello");
    expect(await go(text)).toBe("hello");
  });
});

/** Free a moment ago: rules are written before their servers can be started. */
function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port = 0 } = server;
  void server.stop(true);
  return port;
}
