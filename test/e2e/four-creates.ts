import { expect } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { type Sandbox, waitUntil } from './sandbox.ts'
import { type ExportedState, findLostObjects, parseExport } from './exported-state.ts'

/**
 * Waits until the provider has checked four resources, and then half a second for their creates.
 */
export async function waitForFourCreates(sandbox: Sandbox): Promise<void> {
  const countChecks = (): number =>
    sandbox.listCalls().filter(({ call }) => call === 'check').length
  await waitUntil(() => countChecks() >= 4, { condition: 'the checks of four resources' })
  await new Promise(resolve => setTimeout(resolve, 500))
}

/** Returns the state of the stack after checking that it is valid and that no object was lost. */
export async function readCheckedState(sandbox: Sandbox): Promise<ExportedState> {
  const text = await sandbox.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  const state = parseExport(text)
  expect(findLostObjects(sandbox, state)).toEqual([])
  return state
}

/** The arguments of a `cancel` that does not prompt. */
export const cancelArgs = ['cancel', '--yes', '-s', 'dev']
