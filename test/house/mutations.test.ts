import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mutations } from '../mutations/list.ts'
import { mutate } from '../mutations/mutation.ts'
import { listSources } from './sources.ts'

const root = join(import.meta.dirname, '..', '..')

/** Broken rules that there must be at least. */
const leastMany = 25

describe('the list of mutations', () => {
  test('is as long as it must be, and names each once', () => {
    const names = mutations.map(({ name }) => name)
    expect(names.length).toBeGreaterThanOrEqual(leastMany)
    expect(new Set(names).size).toBe(names.length)
  })

  test('changes what is in the files today', () => {
    const stale = mutations.flatMap(mutation => {
      const source = readFileSync(join(root, mutation.file), 'utf8')
      try {
        return mutate(source, mutation) === source ? [`'${mutation.name}' changes nothing`] : []
      } catch (thrown) {
        return [String(thrown)]
      }
    })
    expect(stale, 'write the text anew in test/mutations').toEqual([])
  })

  test('names suites that are there', () => {
    const files = mutations.flatMap(({ caughtBy }) =>
      caughtBy.flatMap(suite => (suite.kind === 'tests' ? [suite.file] : [])),
    )
    expect(files.filter(file => !existsSync(join(root, file)))).toEqual([])
    expect(mutations.filter(({ caughtBy }) => caughtBy.length === 0)).toEqual([])
  })

  test('names tests that are there', () => {
    const texts = listSources(/\.ts$/).flatMap(({ path, text }) =>
      path.startsWith('test/mutations/') || !/^test\/|\.test\.ts$/.test(path) ? [] : [text],
    )
    const named = mutations.flatMap(({ caughtBy }) =>
      caughtBy.flatMap(suite => (suite.kind === 'tests' ? (suite.named ?? []) : [])),
    )
    expect(named.filter(title => !texts.some(text => new RegExp(title).test(text)))).toEqual([])
  })

  test('is the one of docs/mutations.md', () => {
    const page = readFileSync(join(root, 'docs', 'mutations.md'), 'utf8')
    const rows = page.split('\n').filter(line => /^\| (?!Done wrong)/.test(line))
    const pageNames = rows.map(row => row.split(' | ')[0]?.slice(2))
    expect(pageNames, 'run `npm run mutations`').toEqual(mutations.map(({ name }) => name))
  })
})
