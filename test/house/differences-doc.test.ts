import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unsupportedCommands, unsupportedOptions } from '../../cli/arguments/unsupported.ts'
import { optionsWithoutApi } from '../../cli/remote/options-without-api.ts'
import { projectFolder } from './sources.ts'

const page = readFileSync(join(projectFolder, 'docs', 'differences.md'), 'utf8')

/** Returns the code spans in the table of a section: `--option`, `command`, `command --option`. */
function listCodeSpans(heading: string): readonly string[] {
  const section = page.split(`### ${heading}\n`)[1]?.split('\n#')[0] ?? ''
  const rows = section.split('\n').filter(line => line.startsWith('|'))
  return [...rows.join('\n').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}

const listed = new Set(listCodeSpans('On the command line').flatMap(code => code.split(' ')))

const refusedOptions = new Set(
  Object.values(unsupportedOptions)
    .flat()
    .map(option => /--[\w-]+/.exec(option)?.[0] ?? option),
)

test('docs/differences.md lists every option that is refused by name', () => {
  expect([...refusedOptions].filter(option => !listed.has(option))).toEqual([])
})

test('docs/differences.md lists only options that are refused', () => {
  const named = [...listed].filter(word => word.startsWith('--') && word !== '--help')
  expect(named.filter(option => !refusedOptions.has(option))).toEqual([])
})

test('docs/differences.md lists every command that is refused by name', () => {
  const commands = Object.values(unsupportedCommands).flatMap(names => Object.keys(names))
  expect(commands.filter(command => !listed.has(command))).toEqual([])
})

test('docs/differences.md lists exactly the options that are refused with a login', () => {
  const spans = listCodeSpans('With a login to an API').filter(code => code.startsWith('--'))
  expect(spans.toSorted()).toEqual(optionsWithoutApi.map(([, text]) => text).toSorted())
})
