import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type CheckedProgram,
  checkedResult,
  createCheckedProgram,
  uncheckedResult,
} from './checked-program.fixture.ts'

let program: CheckedProgram
beforeEach(() => {
  program = createCheckedProgram()
})
afterEach(() => program.remove())

test('A new program is checked, and no check starts for an unchanged program', () => {
  const { run, checkedFolder, temporaryFolder } = program
  expect(run()).toEqual(checkedResult)
  expect(run()).toEqual(uncheckedResult)
  const [record = ''] = readdirSync(checkedFolder)
  expect(statSync(checkedFolder).mode & 0o777).toBe(0o700)
  expect(statSync(join(checkedFolder, record)).mode & 0o777).toBe(0o600)
  expect(readdirSync(temporaryFolder)).toEqual([])
})

test('A type error in an unchanged module ends each run until the module that causes it is corrected', () => {
  const { run, write, restore } = program
  run()
  write('other.ts', `export const width: string = '1'`)
  for (const _run of [1, 2])
    expect(run()).toMatchObject({ lines: [], typeErrors: ['index.ts TS2322'] })
  restore('other.ts')
  expect(run()).toEqual(uncheckedResult)
})

test('A program with an unknown version of ts-node is checked at each run', () => {
  const file = 'node_modules/@pulumi/pulumi/vendor/ts-node@7.0.1/index.js'
  program.write('node_modules/ts-node/index.js', readFileSync(join(program.folder, file), 'utf8'))
  for (const _run of [1, 2]) expect(program.run({ TS_NODE: 'ts-node' })).toEqual(checkedResult)
})

test('A program that is only transpiled is not checked, and ts-node keeps its output', () => {
  program.write('other.ts', 'export const width: string = 2')
  const env = { PULUMI_NODEJS_TRANSPILE_ONLY: 'true' }
  // The last word is the value of TS_NODE_CACHE.
  expect(program.run(env).lines).toEqual(['registered 10 false  undefined'])
  expect(program.run(env)).toMatchObject({ checked: [], typeErrors: [] })
  expect(readdirSync(program.temporaryFolder)).toEqual([expect.stringMatching(/^ts-node-/)])
  expect(() => readdirSync(program.checkedFolder)).toThrow('ENOENT')
})
