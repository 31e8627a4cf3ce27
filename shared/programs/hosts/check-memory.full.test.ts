import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  allModules,
  type CheckedProgram,
  checkedResult,
  createCheckedProgram,
  programFiles,
  uncheckedResult,
} from './checked-program.fixture.ts'

/** The programs start a compiler up to four times, in turn. */
const timeout = 300_000
let program: CheckedProgram
beforeAll(() => {
  program = createCheckedProgram()
  program.run()
}, timeout)
afterAll(() => program.remove())

describe('A type error in unchanged modules is found', { timeout }, () => {
  test.each([
    ['other.ts', `export const width: string = '1'`, 'index.ts TS2322'],
    ['inner.ts', `export const other = 1`, 'other.ts TS2305'],
    ['height.d.ts', 'export declare const height: string', 'index.ts TS2322'],
    ['height.ts', `export const height = '3'`, 'index.ts TS2322'],
    ['base.json', '{ "compilerOptions": { "strict": true } }', 'index.ts TS7006'],
    ['node_modules/thing/index.d.ts', 'export declare const size: {}', 'index.ts TS2365'],
    ['node_modules/@types/extra/index.d.ts', 'declare var extension: string', 'index.ts TS2322'],
  ])('after a change of %s', (path, text, typeError) => {
    program.write(path, text)
    const { checked, lines, typeErrors } = program.run()
    expect(checked[0]).toBe('index.ts')
    expect({ lines, typeErrors }).toEqual({ lines: [], typeErrors: [typeError] })
    program.restore(path)
    rmSync(join(program.folder, 'node_modules/@types'), { recursive: true, force: true })
    expect(program.run().lines).toEqual(checkedResult.lines)
  })

  test('in a file whose size and time are the same', () => {
    const path = 'node_modules/thing/index.d.ts'
    program.write(path, 'export declare const size: string')
    utimesSync(join(program.folder, path), 1, 1)
    expect(program.run().typeErrors).toEqual(['index.ts TS2322'])
    program.restore(path)
    utimesSync(join(program.folder, path), 1, 1)
    expect(program.run().lines).toEqual(checkedResult.lines)
  })
})

describe('Memory of type checks', { timeout }, () => {
  test('checks after a changed lock file or compiler, and not after a file was only rewritten', () => {
    const { write, restore, run } = program
    write('package-lock.json', '{ "lockfileVersion": 3 }')
    expect(run()).toEqual(checkedResult)
    write('compiler.js', `${programFiles['compiler.js']}\n`)
    expect(run()).toEqual(checkedResult)
    restore('other.ts')
    expect(run()).toEqual(uncheckedResult)
  })

  test('keeps modules that are loaded in different orders', () => {
    program.write('package-lock.json', '{ "a": 1 }')
    expect(program.run({ LAZY: 'a' }).checked).toEqual([...allModules, 'a.ts'])
    expect(program.run({ LAZY: 'b' }).checked).toEqual(['b.ts'])
    for (const name of ['a', 'b']) expect(program.run({ LAZY: name })).toEqual(uncheckedResult)
  })

  test('writes damaged records again', () => {
    const { checkedFolder, run } = program
    const [record = ''] = readdirSync(checkedFolder)
    const file = join(checkedFolder, record)
    writeFileSync(file, readFileSync(file).subarray(9))
    expect(run()).toEqual(checkedResult)
    expect(run()).toEqual(uncheckedResult)
  })

  test('keeps a program without tsconfig.json, and checks it when the file appears', () => {
    const { folder, write, restore, run } = program
    rmSync(join(folder, 'tsconfig.json'))
    expect(run().lines).toEqual(checkedResult.lines)
    expect(run()).toEqual(uncheckedResult)
    write('tsconfig.json', '{ "compilerOptions": { "strict": true } }')
    expect(run().typeErrors).toEqual(['index.ts TS7006'])
    restore('tsconfig.json')
  })
})

describe('A program is checked at each run', { timeout }, () => {
  test('if there is no folder', () => {
    const settings = { checkedFolder: undefined }
    for (const _run of [1, 2]) expect(program.run({}, settings)).toEqual(checkedResult)
  })

  test('if the folder cannot be written', () => {
    const settings = { checkedFolder: join(program.folder, 'main.js') }
    for (const _run of [1, 2]) expect(program.run({}, settings)).toEqual(checkedResult)
  })

  test('if the user turned off the cache of ts-node', () => {
    // The last word is the value of TS_NODE_CACHE.
    const lines = ['registered 10 false  false']
    for (const _run of [1, 2])
      expect(program.run({ TS_NODE_CACHE: 'false' })).toEqual({ ...checkedResult, lines })
  })
})
