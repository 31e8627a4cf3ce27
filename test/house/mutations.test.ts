import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mutations } from '../mutations/list.ts'
import { mutate } from '../mutations/mutation.ts'
import { projectFolder, listSources } from './sources.ts'

/** Minimum number of mutations. */
const mutationsMin = 25

describe('the list of mutations', () => {
  test('has the required length and unique names', () => {
    const names = mutations.map(({ name }) => name)
    expect(names.length).toBeGreaterThanOrEqual(mutationsMin)
    expect(new Set(names).size).toBe(names.length)
  })

  test('changes the current text of the files', () => {
    const stale = mutations.flatMap(mutation => {
      const source = readFileSync(join(projectFolder, mutation.file), 'utf8')
      try {
        return mutate(source, mutation) === source ? [`'${mutation.name}' changes nothing`] : []
      } catch (thrown) {
        return [String(thrown)]
      }
    })
    expect(stale, 'update the text in test/mutations').toEqual([])
  })

  test('names existing suites', () => {
    const files = mutations.flatMap(({ caughtBy }) =>
      caughtBy.flatMap(suite => (suite.kind === 'tests' ? [suite.file] : [])),
    )
    expect(files.filter(file => !existsSync(join(projectFolder, file)))).toEqual([])
    expect(mutations.filter(({ caughtBy }) => caughtBy.length === 0)).toEqual([])
  })

  test('names existing tests', () => {
    const texts = listSources(/\.ts$/).flatMap(({ path, text }) =>
      path.startsWith('test/mutations/') || !/^test\/|\.test\.ts$/.test(path) ? [] : [text],
    )
    const named = mutations.flatMap(({ caughtBy }) =>
      caughtBy.flatMap(suite => (suite.kind === 'tests' ? (suite.namePattern ?? []) : [])),
    )
    expect(named.filter(title => !texts.some(text => new RegExp(title).test(text)))).toEqual([])
  })

  test('equals docs/mutations.md', () => {
    const page = readFileSync(join(projectFolder, 'docs', 'mutations.md'), 'utf8')
    const rows = page.split('\n').filter(line => /^\| (?!Mutation \|)/.test(line))
    const pageNames = rows.map(row => row.split(' | ')[0]?.slice(2))
    expect(pageNames, 'run `npm run mutations`').toEqual(mutations.map(({ name }) => name))
  })
})
