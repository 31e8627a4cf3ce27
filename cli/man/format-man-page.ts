import type { Argument, Command, Help, Option } from 'commander'

/** A command line of an example, and its purpose. */
export type ManExample = readonly [args: string, purpose: string]

/** The facts of a manual page besides the declaration of its command. */
export interface ManPageOptions {
  /** The path of the command, such as `stack init`; '' for the root. */
  readonly path: string
  readonly version: string
  readonly examples: readonly ManExample[]
}

/** Formats the manual page of a declared command, in the macros of man(7). */
export function formatManPage(
  command: Command,
  { path, version, examples }: ManPageOptions,
): string {
  const help = command.createHelp()
  const name = toPageName(path)
  const title = `.TH ${quote(name.toUpperCase())} 1 "" ${quote(`antichain ${version}`)} "Antichain"`
  const commandLine = path === '' ? 'antichain' : `antichain ${path}`
  const sections = [
    title,
    ...['.SH NAME', `${escapeText(name)} \\- ${escapeText(command.description())}`],
    ...['.SH SYNOPSIS', `.B ${escapeText(commandLine)}`, escapeText(command.usage())],
    ...formatItems('ARGUMENTS', command.registeredArguments.filter(isDescribed), argument => [
      argument.name(),
      help.argumentDescription(argument),
    ]),
    ...formatItems('COMMANDS', listCommands(command, help), child => [
      help.subcommandTerm(child),
      child.description(),
    ]),
    ...formatItems('OPTIONS', help.visibleOptions(command), createOptionReader(help)),
    ...formatItems('GLOBAL OPTIONS', help.visibleGlobalOptions(command), createOptionReader(help)),
    ...formatItems('EXAMPLES', examples, ([args, purpose]) => [
      `antichain ${args}`.trim(),
      purpose,
    ]),
    ...formatSeeAlso(command, path, help),
  ]
  return `${sections.join('\n')}\n`
}

/** Returns the name of the page of a command, such as `antichain-stack-init`. */
export function toPageName(path: string): string {
  return ['antichain', ...path.split(' ')].filter(word => word !== '').join('-')
}

/** Returns the visible commands below a command. */
export function listCommands(command: Command, help: Help): readonly Command[] {
  return help.visibleCommands(command).filter(child => child.name() !== 'help')
}

function isDescribed(argument: Argument): boolean {
  return argument.description !== ''
}

function createOptionReader(help: Help) {
  return (option: Option): readonly [string, string] => [
    help.optionTerm(option),
    help.optionDescription(option),
  ]
}

/** Formats a section of terms with their descriptions. An empty section is omitted. */
function formatItems<T>(
  title: string,
  items: readonly T[],
  read: (item: T) => readonly [term: string, description: string],
): readonly string[] {
  if (items.length === 0) return []
  const lines = items.flatMap(item => {
    const [term, description] = read(item)
    return ['.TP', `.B ${escapeText(term)}`, escapeText(description)]
  })
  return [`.SH ${title}`, ...lines]
}

function formatSeeAlso(command: Command, path: string, help: Help): readonly string[] {
  const parentPath = path.split(' ').slice(0, -1).join(' ')
  const children = listCommands(command, help).map(child => `${path} ${child.name()}`.trim())
  const pages = [...(path === '' ? [] : [parentPath]), ...children].map(toPageName)
  if (pages.length === 0) return []
  return ['.SH SEE ALSO', pages.map(page => `.BR ${escapeText(page)} (1)`).join(' ,\n')]
}

/** Escapes a text: hyphens stay hyphens, and a first dot or quote starts no macro. */
function escapeText(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(['.])/, '\\&$1')
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '\\(dq')}"`
}
