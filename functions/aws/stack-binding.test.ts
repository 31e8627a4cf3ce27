import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { StackId } from '../../shared/records/ids.ts'
import { clearScratch, createStackBinding, decideRefusal } from './stack-binding.ts'

test('an environment serves its first stack and no other', () => {
  const { mayServe } = createStackBinding()
  expect(mayServe('organization/p/dev' as StackId)).toBe(true)
  expect(mayServe('organization/p/prod' as StackId)).toBe(false)
  expect(mayServe('organization/p/dev' as StackId)).toBe(true)
})

test('an environment that shuts down ends its process', () => {
  const ended: number[] = []
  createStackBinding(status => void ended.push(status)).endEnvironment()
  expect(ended).toEqual([0])
})

test('the eighth environment that refuses a message ends, and resets the count of the message', () => {
  const refusals = [0, 1, 2, 3, 4, 5, 6, 7].map(decideRefusal)
  expect(refusals.map(refusal => refusal.refusals)).toEqual([1, 2, 3, 4, 5, 6, 7, 0])
  expect(refusals.map(({ mustEnd }) => mustEnd)).toEqual([...Array(7).fill(false), true])
})

test('files of an earlier process are removed under Lambda only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-scratch-'))
  mkdirSync(join(folder, 'antichain', 'programs'), { recursive: true })
  writeFileSync(join(folder, 'antichain', 'programs', 'left.js'), '')
  vi.stubEnv('TMPDIR', folder)
  try {
    clearScratch({})
    expect(existsSync(join(folder, 'antichain', 'programs', 'left.js'))).toBe(true)
    clearScratch({ AWS_LAMBDA_RUNTIME_API: '127.0.0.1:1' })
    expect(existsSync(join(folder, 'antichain'))).toBe(false)
    expect(existsSync(folder)).toBe(true)
  } finally {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true })
  }
})
