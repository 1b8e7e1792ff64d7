/** Words of a command line that say what is done, in the past tense. */
const VERBS: Readonly<Record<string, string>> = {
  install: 'installed',
  add: 'installed',
  '-i': 'installed',
  '/i': 'installed',
  '/package': 'installed',
  '--install': 'installed',
  '-u': 'upgraded',
  '-syu': 'upgraded',
  upgrade: 'upgraded',
  update: 'upgraded',
  'dist-upgrade': 'upgraded',
  'full-upgrade': 'upgraded',
  remove: 'removed',
  purge: 'removed',
  uninstall: 'removed',
  delete: 'removed',
  '-r': 'removed',
  '/x': 'removed',
};
const ARCHIVE = /(?:\.(?:deb|rpm|apk|txz|pkg|msi|whl|gem|tgz|tar|gz|xz|zst))+$/i;

/** The packages and the action in the command line of a package manager. */
export function parseCommand(command: string): { packages: string[]; action: string | undefined } {
  const [, ...words] = command.split(/\s+/).filter((word) => word !== '');
  const isVerb = (word: string) => Object.hasOwn(VERBS, word.toLowerCase());
  const verb = words.find(isVerb);
  return {
    action: verb === undefined ? undefined : VERBS[verb.toLowerCase()],
    packages:
      verb === undefined
        ? []
        : words
            .slice(words.indexOf(verb) + 1)
            .filter((word) => !isVerb(word) && !/^[-/](?!.*\/)/.test(word))
            .map(packageName)
            .filter((name) => name !== ''),
  };
}

/** `/tmp/labtool_1.0_all.deb`, `labtool=1.0` and `labtool@1.0` are `labtool`. */
function packageName(word: string): string {
  const base = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
  const bare = ARCHIVE.test(base) ? base.replace(ARCHIVE, '').replace(/[_-]v?\d.*$/, '') : base;
  return bare.replace(/(?<=.)[@=<>~!].*$/, '');
}
