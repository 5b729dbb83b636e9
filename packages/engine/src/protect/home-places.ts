// What a person's shell, git, editor or desktop reads in the home folder when it starts.

/** Relative to the home folder; some are files, some folders. */
export const HOME_PLACES: readonly string[] = [
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".inputrc",
  ".gitconfig",
  ".config/git",
  ".config/fish",
  ".config/systemd",
  ".config/autostart",
  ".config/environment.d",
  ".config/nvim",
  ".ssh",
  ".gnupg",
  ".local/bin",
  ".npmrc",
  ".cargo/config.toml",
  ".cargo/config",
  ".vimrc",
];
