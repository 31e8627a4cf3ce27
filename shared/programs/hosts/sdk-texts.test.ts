import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const sdk = join(import.meta.dirname, '../../../test/fixtures/sdk/node_modules')
const require = createRequire(import.meta.url)
const { addCheckMemory, addFrameMemory, deferArborist, deferPromiseTraces, dropDebugMessages } =
  require('./sdk-texts.cjs') as Readonly<Record<string, (text: string) => string | undefined>>

const cases = [
  ['addCheckMemory', addCheckMemory, '@pulumi/pulumi/vendor/ts-node@7.0.1/index.js'],
  ['addFrameMemory', addFrameMemory, 'source-map-support/source-map-support.js'],
  ['addFrameMemory', addFrameMemory, '@pulumi/pulumi/vendor/ts-node@7.0.1/index.js'],
  ['deferArborist', deferArborist, '@pulumi/pulumi/runtime/closure/codePaths.js'],
  ['deferPromiseTraces', deferPromiseTraces, '@pulumi/pulumi/runtime/debuggable.js'],
  ['dropDebugMessages', dropDebugMessages, '@pulumi/pulumi/log/index.js'],
] as const

describe.each(cases)('%s', (_name, change, file) => {
  const text = readFileSync(join(sdk, file), 'utf8')

  test(`changes ${file} only once, and keeps its number of lines`, () => {
    const changed = change?.(text) ?? ''
    expect(changed).not.toBe(text)
    expect(changed.split('\n')).toHaveLength(text.split('\n').length)
    expect(change?.(changed)).toBeUndefined()
  })

  test('leaves unknown code as it is', () => {
    expect(change?.('')).toBeUndefined()
    // Each function requires at least one of these texts in the code that it changes.
    expect(
      change?.(
        text
          .replaceAll('Error().stack', 'Error().text')
          .replaceAll('arborist.Arborist', 'arborist.Tree')
          .replaceAll('engine', 'x')
          .replaceAll('compile', 'x')
          .replaceAll('state', 'x'),
      ),
    ).toBeUndefined()
  })
})

test('deferPromiseTraces keeps the line and column at which a promise captures its trace', () => {
  const text = readFileSync(join(sdk, '@pulumi/pulumi/runtime/debuggable.js'), 'utf8')
  const positionOf = (code: string): readonly (number | undefined)[] => {
    const lines = code.split('\n')
    const line = lines.findIndex(one => one.includes('new Error()'))
    return [line, lines[line]?.indexOf('new Error()')]
  }
  expect(positionOf(deferPromiseTraces?.(text) ?? '')).toEqual(positionOf(text))
})
