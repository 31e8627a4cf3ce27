import { afterAll, describe, expect, test } from 'vitest'
import { DeployError } from '../../shared/errors/error.ts'
import type { FuzzTarget } from './fuzz-target.ts'
import { loadTarget } from './load-target.ts'
import { createMutant } from './mutate.ts'
import { listTargetNames, readCorpus } from './read-corpus.ts'

/** The prefixes of items that a decoder may refuse. */
const refusedPrefix = /^(?:defect|refused)-/

async function decodeItem(target: FuzzTarget, input: Uint8Array): Promise<'accepted' | 'refused'> {
  try {
    await target.decode(input)
    return 'accepted'
  } catch (thrown) {
    if (thrown instanceof DeployError || target.isRefusal?.(thrown) === true) return 'refused'
    throw thrown
  }
}

// If a defect returns, its item throws an error without a code, or takes too long.
describe.each(listTargetNames())('the corpus of %s', async name => {
  const target = await loadTarget(name)
  afterAll(() => target.close?.())
  test.each([...readCorpus(name)])(
    '%s is decoded or refused with a code',
    async (item, input) => {
      const result = await decodeItem(target, input)
      if (!refusedPrefix.test(item)) expect(result).toBe('accepted')
    },
    10_000,
  )
})

test('a mutated input depends only on the corpus, the seed and its number', () => {
  const corpus = [...readCorpus('states').values()]
  const mutants = [0, 1, 2, 3].map(index => createMutant(corpus, 7, index))
  expect(createMutant(corpus, 7, 2)).toEqual(mutants[2])
  expect(new Set(mutants.map(bytes => Buffer.from(bytes).toString('base64'))).size).toBe(4)
})
