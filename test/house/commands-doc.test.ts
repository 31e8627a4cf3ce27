import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Help } from 'commander'
import { expect, test } from 'vitest'
import { declareCommands } from '../../cli/arguments/declare-commands.ts'
import commandsOfPulumi from './pulumi-commands.json' with { type: 'json' }
import { unsupportedCommands } from '../../cli/arguments/unsupported.ts'
import { projectFolder } from './sources.ts'

const help = new Help()

/** Returns the paths of all visible commands below a command, with all their aliases. */
function listPaths(command: Command, prefixes: readonly string[]): readonly string[] {
  return help.visibleCommands(command).flatMap(child => {
    const names = [child.name(), ...child.aliases()]
    const paths = prefixes.flatMap(prefix => names.map(name => `${prefix}${name}`))
    return [
      ...paths,
      ...listPaths(
        child,
        paths.map(path => `${path} `),
      ),
    ]
  })
}

const supported = new Set(
  listPaths(
    declareCommands(new Command('antichain'), command => command),
    [''],
  ),
)
const page = readFileSync(join(projectFolder, 'docs', 'commands.md'), 'utf8')
const table = [...page.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)]
const rows = table.map(([, path = '']) => path)
const isBelow = (path: string, row: string): boolean => path === row || path.startsWith(`${row} `)

test('every command of Pulumi is supported, or in docs/commands.md', () => {
  const absent = commandsOfPulumi.filter(path => !supported.has(path))
  expect(absent.filter(path => !rows.some(row => isBelow(path, row)))).toEqual([])
  expect(page).toContain(`has ${commandsOfPulumi.length} commands`)
})

test('docs/commands.md has only commands of Pulumi that are not supported, in order', () => {
  expect(rows.filter(row => supported.has(row) || !commandsOfPulumi.includes(row))).toEqual([])
  expect(rows).toEqual(rows.toSorted())
})

/** Returns the hint that the command line prints for a command of the table. */
function findHint(path: string): string | undefined {
  const [name = '', parent = 'root'] = path.split(' ').toReversed()
  const hints: Readonly<Record<string, Readonly<Record<string, string>>>> = unsupportedCommands
  return hints[parent]?.[name]
}

/** Returns the commands of this project in the code spans of a text. */
function listCommands(text: string): readonly string[] {
  return [...text.matchAll(/`(?:antichain )?([^`]+)`/g)].flatMap(([, code = '']) => {
    const parts = code.split(' ')
    const paths = parts.map((_, index) => parts.slice(0, index + 1).join(' '))
    return paths.findLast(path => supported.has(path)) ?? []
  })
}

test('every command of docs/commands.md is refused with the substitutes of its row', () => {
  const lacking = table.flatMap(([, path = '', text = '']) => {
    const hint = findHint(path)
    if (hint === undefined) return [`${path}: no hint`]
    const named = listCommands(hint)
    return listCommands(text)
      .filter(name => !named.includes(name))
      .map(name => `${path}: ${name}`)
  })
  expect(lacking).toEqual([])
})
