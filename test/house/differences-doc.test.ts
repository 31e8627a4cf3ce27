import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unsupportedCommands, unsupportedOptions } from '../../cli/arguments/unsupported.ts'
import { projectFolder } from './sources.ts'

const page = readFileSync(join(projectFolder, 'docs', 'differences.md'), 'utf8').split(
  '### On the command line',
)[1]

/** The code spans in the page's table: `--option`, `command`, `command --option`. */
const listed = new Set(
  [...(page ?? '').matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.split(' ')),
)

const options = new Set(
  Object.values(unsupportedOptions)
    .flat()
    .map(option => /--[\w-]+/.exec(option)?.[0] ?? option),
)

test('docs/differences.md lists every option that is refused by name', () => {
  expect([...options].filter(option => !listed.has(option))).toEqual([])
})

test('docs/differences.md lists no option that is not refused', () => {
  const named = [...listed].filter(word => word.startsWith('--') && word !== '--help')
  expect(named.filter(option => !options.has(option))).toEqual([])
})

test('docs/differences.md lists every command that is refused by name', () => {
  const commands = Object.values(unsupportedCommands).flat()
  expect(commands.filter(command => !listed.has(command))).toEqual([])
})
