import { describe, expect, test } from 'vitest'
import { error } from '../../errors/error.ts'
import type { ClockPort } from '../../ports/system.ts'
import { createPatience, patientPorts } from './patience.ts'

/** A clock that goes on only while somebody sleeps, and what was told. */
function scene(isWorthIt = (): boolean => true) {
  const said: string[] = []
  const slept: number[] = []
  let nowMs = 0
  const clock = {
    monotonicMs: () => nowMs,
    sleep: async (ms: number) => {
      slept.push(ms)
      nowMs += ms
    },
  } as ClockPort
  const random = { bytes: () => new Uint8Array([255]) }
  const patience = createPatience({ clock, random, isWorthIt, said: text => void said.push(text) })
  return { patience, said, slept }
}

/** A request that is refused so often, then answers. */
function refusing(times: number) {
  let asked = 0
  const request = async (...what: readonly unknown[]): Promise<readonly unknown[]> => {
    asked += 1
    if (asked <= times) throw error('STORE_UNAVAILABLE', 'too many requests')
    return what
  }
  return { request, asked: () => asked }
}

const ports = {
  log: ['append', 'read'],
  operations: 'arrive begin lapse putOutcome outcome select heads ends'.split(' '),
  control: ['create', 'read', 'stop', 'handOver', 'hold', 'close'],
  leases: ['register', 'retire', 'list'],
  catalog: 'stack start publish release putLate late removeLate slow'.split(' '),
  blobs: ['put', 'get'],
  chains: ['send', 'remove'],
  nudges: ['nudge'],
}
const impatient = {
  leases: ['renew'],
  chains: ['receive', 'extend'],
  nudges: ['receive'],
  operations: ['giveBack'],
}

type Methods = Readonly<Record<string, Readonly<Record<string, () => Promise<unknown>>>>>

/** Every port with methods that are refused so often. */
function faulty(times: number): Methods {
  const names = Object.entries(ports).map(([port, methods]) => {
    const all = [...methods, ...(Object.entries(impatient).find(([at]) => at === port)?.[1] ?? [])]
    return [port, Object.fromEntries(all.map(name => [name, refusing(times).request]))]
  })
  return Object.fromEntries(names) as Methods
}

describe('a request that the store cannot take', () => {
  for (const [port, methods] of Object.entries(ports))
    test(`is made again with growing pauses: ${port}`, async () => {
      for (const method of methods) {
        const { patience, slept, said } = scene()
        const patient = patientPorts(faulty(3) as never, patience) as Methods
        expect(await patient[port]?.[method]?.()).toEqual([])
        expect(slept).toEqual([100, 200, 400])
        expect(said).toEqual([])
      }
    })

  test('is given up after twenty seconds, or once nobody waits for it', async () => {
    const { request } = refusing(Infinity)
    const { patience, slept } = scene()
    await expect(patience(request)()).rejects.toThrow('too many requests')
    const wholeMs = slept.reduce((sum, ms) => sum + ms, 0)
    expect(wholeMs).toBeGreaterThan(20_000)
    expect(wholeMs).toBeLessThan(24_000)
    const given = scene(() => false)
    await expect(given.patience(request)()).rejects.toThrow('too many requests')
    expect(given.slept).toEqual([])
  })

  test('is given up at once where this process closed the store itself', async () => {
    const closed = error('STORE_UNAVAILABLE', 'it was closed', { details: { reason: 'closed' } })
    const { patience, slept, said } = scene()
    await expect(patience(() => Promise.reject(closed))()).rejects.toThrow('it was closed')
    expect([slept, said]).toEqual([[], []])
  })

  test('is told of once for a spell that lasts, whoever asks', async () => {
    const { patience, said } = scene()
    await patience(refusing(7).request)()
    await patience(refusing(3).request)()
    expect(said).toEqual([
      'the store cannot be used at the moment, and is asked again: too many requests',
    ])
    await patience(refusing(7).request)()
    expect(said).toHaveLength(2)
  })
})

test('what is asked again anyway, or means something else, is not repeated', async () => {
  for (const [port, methods] of Object.entries(impatient))
    for (const method of methods) {
      const { patience } = scene()
      const patient = patientPorts(faulty(1) as never, patience) as Methods
      await expect(patient[port]?.[method]?.()).rejects.toThrow('too many requests')
    }
  const { patience, slept } = scene()
  const conflict = error('STORE_CONFLICT', 'somebody else was faster')
  await expect(patience(() => Promise.reject(conflict))()).rejects.toBe(conflict)
  expect(slept).toEqual([])
})
