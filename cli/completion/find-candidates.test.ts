import { Command } from 'commander'
import { expect, test } from 'vitest'
import { declareCommands } from '../arguments/declare-commands.ts'
import { findCandidates } from './find-candidates.ts'

const root = declareCommands(new Command('antichain'), command => command)
const namesFor = (...args: readonly string[]): readonly string[] =>
  findCandidates(root, args).choices.map(({ name }) => name)

test('findCandidates returns the commands that begin with a word, without refused ones', () => {
  expect(namesFor('st')).toEqual(['stack', 'state'])
  expect(namesFor('stack', 'se')).toEqual(['select'])
  expect(namesFor('schem')).toEqual([])
})

test('findCandidates returns the options of a command, its parents and the help', () => {
  expect(namesFor('up', '--ta')).toEqual(['--target', '--target-dependents', '--target-replace'])
  expect(namesFor('stack', 'ls', '--c')).toEqual(['--cwd', '--color'])
  expect(namesFor('up', '--tracing')).toEqual([])
  expect(namesFor('up', '--he')).toEqual(['--help'])
})

test('findCandidates returns the choices of an option', () => {
  expect(namesFor('--color', 'a')).toEqual(['always', 'auto'])
})

test.each([
  [['stack', 'select', ''], 'stacks'],
  [['up', '--stack', ''], 'stacks'],
  [['config', 'cp', '--dest', ''], 'stacks'],
  [['state', 'delete', 'urn'], 'urns'],
  [['state', 'protect', 'urn:a', ''], 'urns'],
  [['up', '--target', ''], 'urns'],
  [['config', 'get', ''], 'keys'],
  [['config', 'set', 'key', ''], undefined],
  [['stack', ''], undefined],
])('findCandidates returns the kind of further words for %j: %s', (args, live) => {
  expect(findCandidates(root, args).liveWordKind).toBe(live)
})

test('findCandidates returns the folder and stack of the command line', () => {
  const args = ['-C', 'app', 'config', 'get', '--stack=prod', '']
  expect(findCandidates(root, args)).toMatchObject({
    cwd: 'app',
    stack: 'prod',
    liveWordKind: 'keys',
  })
})
