import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Help } from 'commander'
import { expect, test } from 'vitest'
import { declareCommands } from '../../cli/arguments/declare-commands.ts'
import commandsOfPulumi from './pulumi-commands.json' with { type: 'json' }
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
const rows = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, path = '']) => path)
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
