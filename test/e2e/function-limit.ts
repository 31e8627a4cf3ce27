import { expect } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createSandbox, type Sandbox, requireSuccess } from './sandbox.ts'
import { initDevStack, findLostObjects, parseExport, upArgs } from './exported-state.ts'

/** Returns the URN of each create, once per call. */
function listCreates(sandbox: Sandbox): readonly string[] {
  return sandbox.listCalls().flatMap(({ call, urn = '' }) => (call === 'create' ? [urn] : []))
}

/** Returns the messages of generators that handed over, one line each. */
export function handOverMessagesOf(out: string): readonly string[] {
  return out.split('\n').filter(line => /Generator \d+ (?:hands over|parks)/.test(line))
}

/** Checks that each of `count` resources was created once and that none was lost. */
export async function checkCreatedOnce(sandbox: Sandbox, count: number): Promise<void> {
  const createdUrns = listCreates(sandbox)
  expect(createdUrns).toHaveLength(count)
  expect(new Set(createdUrns).size).toBe(count)
  const text = await sandbox.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  const state = parseExport(text)
  expect(findLostObjects(sandbox, state)).toEqual([])
  expect(state.pending).toEqual([])
}

/**
 * Checks provider calls of this many seconds with a function limit of 20 s: generators hand over,
 * and each resource is created once.
 */
export async function checkLongCall(seconds: number): Promise<void> {
  const sandbox = createSandbox('many')
  try {
    await initDevStack(sandbox)
    const env = { COUNT: '2', DELAY: String(seconds * 1000) }
    const { out } = requireSuccess(
      await sandbox.run([...upArgs, '--function-limit', '20s'], { env }),
    )
    expect(handOverMessagesOf(out).length, out).toBeGreaterThan(0)
    await checkCreatedOnce(sandbox, 2)
  } finally {
    sandbox.remove()
  }
}
