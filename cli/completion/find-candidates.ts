import type { Argument, Command, Option } from 'commander'

/** A word that may complete a command line. */
export interface Candidate {
  readonly name: string
  readonly description: string
}

/**
 * A kind of words that only the store or the project knows. `keys`: the keys of the stack's
 * configuration.
 */
export type LiveWordKind = 'stacks' | 'urns' | 'keys'

/** The words that may complete a command line. */
export interface Candidates {
  readonly choices: readonly Candidate[]
  /** The kind of the further words, which the caller reads. Undefined: there are none. */
  readonly liveWordKind: LiveWordKind | undefined
  /** The values of --cwd and --stack in the command line. */
  readonly cwd: string | undefined
  readonly stack: string | undefined
}

/** The kinds of the values of options, by their names in camel case. */
const liveByOption: Readonly<Record<string, LiveWordKind>> = {
  stack: 'stacks',
  dest: 'stacks',
  copyConfigFrom: 'stacks',
  target: 'urns',
  exclude: 'urns',
  replace: 'urns',
  targetReplace: 'urns',
}
/** The kinds of arguments, by the names with which their commands declare them. */
const liveByArgument: Readonly<Record<string, LiveWordKind>> = {
  urn: 'urns',
  urns: 'urns',
  resource: 'urns',
  key: 'keys',
}
/** The subcommands of `stack` whose argument is the name of an existing stack. */
const stackCommands: ReadonlySet<string> = new Set(['select', 'rm'])

/**
 * Returns the words that may follow a command line. The last item of `args` is the beginning of the
 * word, perhaps ''.
 */
export function findCandidates(root: Command, args: readonly string[]): Candidates {
  const typedArgs = args.slice(0, -1)
  const prefix = args.at(-1) ?? ''
  const { command, operandCount, valueOption, values } = readTypedArgs(root, typedArgs)
  const settings = { cwd: values.get('cwd'), stack: values.get('stack') }
  const toCandidates = (choices: readonly Candidate[], live?: LiveWordKind): Candidates => ({
    ...settings,
    choices: choices.filter(({ name }) => name.startsWith(prefix)),
    liveWordKind: live,
  })
  if (valueOption !== undefined)
    return toCandidates(toChoices(valueOption), liveByOption[valueOption.attributeName()])
  if (prefix.startsWith('-')) return toCandidates(listOptions(command))
  const argument = command.registeredArguments[operandCount] ?? lastVariadicOf(command)
  const children = operandCount === 0 ? listCommands(command) : []
  return toCandidates(
    [...children, ...(argument === undefined ? [] : toChoices(argument))],
    argument === undefined ? undefined : findLiveWords(command, argument),
  )
}

function readTypedArgs(root: Command, args: readonly string[]) {
  let command = root
  let operandCount = 0
  let valueOption: Option | undefined
  const values = new Map<string, string>()
  for (const arg of args) {
    if (valueOption !== undefined) {
      values.set(valueOption.attributeName(), arg)
      valueOption = undefined
    } else if (arg.startsWith('-')) {
      const [flag = '', ...value] = arg.split('=')
      const option = listDeclaredOptions(command).find(
        ({ long, short }) => flag === long || flag === short,
      )
      if (option?.required !== true) continue
      if (value.length > 0) values.set(option.attributeName(), value.join('='))
      else valueOption = option
    } else {
      const child = operandCount === 0 ? findCommand(command, arg) : undefined
      if (child === undefined) operandCount += 1
      else command = child
    }
  }
  return { command, operandCount, valueOption, values }
}

function findCommand({ commands }: Command, name: string): Command | undefined {
  return commands.find(child => child.name() === name || child.aliases().includes(name))
}

/** Returns the options of a command and of its parents. */
function listDeclaredOptions(command: Command): readonly Option[] {
  return [
    ...command.options,
    ...(command.parent === null ? [] : listDeclaredOptions(command.parent)),
  ]
}

function listOptions(command: Command): readonly Candidate[] {
  return [
    ...listDeclaredOptions(command)
      .filter(({ hidden }) => !hidden)
      .map(({ long, short, description }) => ({ name: long ?? short ?? '', description })),
    { name: '--help', description: 'Show this help' },
  ]
}

function listCommands(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map(child => ({ name: child.name(), description: child.description() }))
}

function lastVariadicOf({ registeredArguments }: Command): Argument | undefined {
  const lastArgument = registeredArguments.at(-1)
  return lastArgument?.variadic === true ? lastArgument : undefined
}

function toChoices({ argChoices = [] }: Option | Argument): readonly Candidate[] {
  return argChoices.map(name => ({ name, description: '' }))
}

function findLiveWords(command: Command, argument: Argument): LiveWordKind | undefined {
  if (command.parent?.name() === 'stack' && stackCommands.has(command.name())) return 'stacks'
  return liveByArgument[argument.name()]
}
