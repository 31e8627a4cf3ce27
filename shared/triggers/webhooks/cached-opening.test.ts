/**
 * The calls to the key service that deliveries to webhooks cause. Each call costs money, and the
 * service limits their rate for all functions of the account together.
 */
import { expect, test } from 'vitest'
import { triggerLimits } from '../../config/trigger-limits.ts'
import type { DocumentsPort, MarksPort, SealingPort } from '../../ports/documents.ts'
import type { EpochMs } from '../../records/ids.ts'
import { withCachedOpening } from './cached-opening.ts'
import { receiveWebhook } from './receive-webhook.ts'
import { deliveryHeaders, signatureOf } from './webhook-signature.ts'

const secret = 'a secret of sixteen characters and more'

function openReceiver() {
  const state = { openCalls: 0, nowMs: 1_000_000 }
  const sealing: SealingPort = {
    seal: async text => text,
    open: async text => {
      state.openCalls += 1
      if (text === 'broken') throw new Error('the key service is down')
      return text
    },
  }
  const clock = { now: () => state.nowMs as EpochMs }
  const value = { form: 'signed', secrets: [secret], rules: [] }
  const documents = {
    get: async (key: { readonly name: string }) =>
      key.name === 'hook' ? { key, version: 1, value } : undefined,
  } as unknown as DocumentsPort
  const cached = withCachedOpening(sealing, clock)
  const deps = { documents, sealing: cached, clock, marks: {} as MarksPort, send: async () => {} }
  const deliver = (name: string, headers: Readonly<Record<string, string>>) => {
    const body = Buffer.from('{"event":"ping"}')
    return receiveWebhook(deps, name, { headers: new Map(Object.entries(headers)), body })
  }
  const formatTimestamp = (): string => String(Math.floor(state.nowMs / 1000))
  const signWith = (key: string): Readonly<Record<string, string>> => ({
    [deliveryHeaders.id]: 'one',
    [deliveryHeaders.timestamp]: formatTimestamp(),
    [deliveryHeaders.signature]: `v1=${signatureOf(key, formatTimestamp(), Buffer.from('{"event":"ping"}'))}`,
  })
  return { state, deliver, signWith, cached }
}

const refused = { code: 'WEBHOOK_REFUSED' }

test('a flood of unsigned deliveries and of unknown names opens no secret', async () => {
  const { state, deliver, signWith } = openReceiver()
  for (let number = 0; number < 500; number += 1) {
    await expect(deliver('hook', {})).rejects.toMatchObject(refused)
    await expect(deliver(`none-${number}`, signWith('x'))).rejects.toMatchObject(refused)
    const malformed = { ...signWith('x'), [deliveryHeaders.signature]: `v1=${number}` }
    await expect(deliver('hook', malformed)).rejects.toMatchObject(refused)
  }
  expect(state.openCalls).toBe(0)
})

test('a flood of wrong signatures opens each secret once in the time of the cache', async () => {
  const { state, deliver, signWith } = openReceiver()
  for (let number = 0; number < 500; number += 1)
    await expect(deliver('hook', signWith(`wrong ${number}`))).rejects.toMatchObject(refused)
  expect(state.openCalls).toBe(1)
  expect(await deliver('hook', signWith(secret))).toEqual({ kind: 'pong' })
  expect(state.openCalls).toBe(1)
  state.nowMs += triggerLimits.openedSecretMs
  expect(await deliver('hook', signWith(secret))).toEqual({ kind: 'pong' })
  expect(state.openCalls).toBe(2)
})

test('a failed opening is tried again, and the number of kept secrets is limited', async () => {
  const { state, cached } = openReceiver()
  for (const _time of [1, 2]) await expect(cached.open('broken', 'c')).rejects.toThrow('is down')
  expect(state.openCalls).toBe(2)
  for (let number = 0; number <= triggerLimits.openedSecretsMax; number += 1)
    await cached.open(`secret ${number}`, 'c')
  const before = state.openCalls
  await cached.open('secret 0', 'c')
  await cached.open(`secret ${triggerLimits.openedSecretsMax}`, 'c')
  expect(state.openCalls).toBe(before + 1)
})
