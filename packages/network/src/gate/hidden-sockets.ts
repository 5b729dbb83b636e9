// Sockets of this machine's services: no network namespace stops them, and through them a name server, a container or a
// session of the desktop would be reached.
import { existsSync } from "node:fs";

const PLACES = ["nscd", "systemd/resolve", "dbus", "docker.sock", "containerd", "podman", "user", "avahi-daemon"];

/** Those that are here, to be kept from the view of commands that see /run. */
export function socketsToHide(): readonly string[] {
  return ["/run", "/var/run"].flatMap((folder) => PLACES.map((place) => `${folder}/${place}`)).filter(existsSync);
}
