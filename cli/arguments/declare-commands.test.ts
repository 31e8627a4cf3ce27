import { Command } from 'commander'
import { expect, test } from 'vitest'
import { commandSections, declareCommands } from './declare-commands.ts'

/** Returns the paths of all visible commands below a command, each with its command. */
function listCommands(command: Command, path: string): readonly (readonly [string, Command])[] {
  const children = command.createHelp().visibleCommands(command)
  return [
    [path, command] as const,
    ...children
      .filter(child => child.name() !== 'help')
      .flatMap(child => listCommands(child, `${path} ${child.name()}`)),
  ]
}

const commands = listCommands(
  declareCommands(new Command('antichain'), command => command),
  'antichain',
)

test('every command, argument and visible option has a description in the help', () => {
  const missing = commands.flatMap(([path, command]) => [
    ...(command.description() === '' ? [path] : []),
    ...command.registeredArguments
      .filter(({ description }) => description === '')
      .map(argument => `${path} <${argument.name()}>`),
    ...command.options
      .filter(({ hidden, description }) => !hidden && description === '')
      .map(({ flags }) => `${path} ${flags}`),
  ])
  expect(commands.length).toBeGreaterThan(100)
  expect(missing).toEqual([])
})

test.each(['deploy', 'redrive', 'up', 'config set', 'stack init'])(
  'the help of `%s` has examples',
  path => {
    const command = new Map(commands).get(`antichain ${path}`)
    const output: string[] = []
    command?.configureOutput({ writeOut: text => output.push(text) }).outputHelp()
    expect(output.join('')).toContain(`\nExamples:\n  $ antichain ${path}`)
  },
)

test.each(['provider check', 'platform verify', 'stack webhook edit'])(
  'the help of `%s` groups all options',
  path => {
    const help = new Map(commands).get(`antichain ${path}`)?.helpInformation()
    expect(help).toContain('\nGeneral:\n')
    expect(help).not.toContain('\nOptions:\n')
  },
)

test.each(commandSections.flatMap(({ declarations }) => declarations))(
  'the commands of a declaration have its names: $names',
  ({ names, declare }) => {
    const root = new Command('antichain')
    declare(root, command => command)
    expect(
      root.commands.flatMap(command => [command.name(), ...command.aliases()]).toSorted(),
    ).toEqual(names.toSorted())
  },
)

test('only the declaration of the first argument is used, if that is a command', () => {
  const declaredNamesOf = (firstArgument: string): readonly string[] =>
    declareCommands(new Command('antichain'), command => command, firstArgument).commands.map(
      command => command.name(),
    )
  expect(declaredNamesOf('login')).toContain('deploy')
  expect(declaredNamesOf('login')).not.toContain('stack')
  for (const firstArgument of ['--cwd', 'help', '__complete', 'logn', 'gen-man'])
    expect(declaredNamesOf(firstArgument)).toEqual(declaredNamesOf(''))
})
