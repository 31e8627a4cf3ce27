import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutations } from '../mutations/all-mutations.ts'
import { mutate } from '../mutations/mutation.ts'
import { projectFolder } from './sources.ts'

test('every mutation changes its file, and the files of its suites exist', () => {
  for (const mutation of mutations) {
    const source = readFileSync(join(projectFolder, mutation.file), 'utf8')
    expect(mutate(source, mutation), mutation.name).not.toBe(source)
    for (const suite of mutation.caughtBy)
      if (suite.kind === 'tests')
        expect(existsSync(join(projectFolder, suite.file)), suite.file).toBe(true)
  }
})
