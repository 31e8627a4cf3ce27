import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEmbeddedPlatform } from '../shared/platform/embedded/embedded-platform.ts'
import { type EpochMs, stackIdOf } from '../shared/records/ids.ts'
import { createGeneratorPorts } from './local-engine.ts'
import { type ServeRole, serveStacks } from './serve-stacks.ts'

/** Serves one stack without a deployment, and returns the ids of the stacks reported as idle. */
async function serveIdleStack(role: ServeRole): Promise<readonly string[]> {
  const home = mkdtempSync(join(tmpdir(), 'antichain-serve-'))
  const platform = await openEmbeddedPlatform({ home })
  const shutdown = new AbortController()
  const idleStacks: string[] = []
  try {
    await platform.catalog.createStack(stackIdOf('shop', 'prod'), 1 as EpochMs)
    const refuse = () => Promise.reject(new Error('the stack has no deployment'))
    await serveStacks(
      { platform, ports: createGeneratorPorts(platform) },
      {
        roles: new Set([role]),
        functionLimitMs: undefined,
        shutdown: shutdown.signal,
        requestOf: refuse,
        resume: refuse,
        onIdleStack: async ({ id }) => void idleStacks.push(id),
        wakeSignal: () => {
          shutdown.abort()
          return shutdown.signal
        },
        onMessage: () => undefined,
      },
    )
  } finally {
    await platform.close()
    rmSync(home, { recursive: true })
  }
  return idleStacks
}

test('a dead deployment without a pin is closed and reported', async () => {
  const home = mkdtempSync(join(tmpdir(), 'antichain-serve-'))
  const platform = await openEmbeddedPlatform({ home })
  const shutdown = new AbortController()
  const lines: string[] = []
  try {
    const stack = stackIdOf('shop', 'prod')
    const at = 1 as EpochMs
    await platform.catalog.createStack(stack, at)
    const start = { command: 'up', message: '', at } as const
    const { deployment } = await platform.catalog.start(stack, start)
    const ports = createGeneratorPorts(platform)
    await platform.control.create(deployment, { ...ports.holder, started: 'before this process' })
    const refuse = () => Promise.reject(new Error('the deployment cannot be continued'))
    const signals = { shutdown: shutdown.signal, wakeSignal: () => shutdown.signal }
    await serveStacks(
      { platform, ports },
      {
        ...signals,
        roles: new Set(['generator']),
        functionLimitMs: undefined,
        requestOf: refuse,
        resume: refuse,
        onMessage: line => {
          lines.push(line)
          shutdown.abort()
        },
      },
    )
    expect(lines).toEqual([
      `${deployment} was interrupted and could not be continued; it is now closed.`,
    ])
    expect((await platform.catalog.getStack(stack))?.current).toBe('')
  } finally {
    await platform.close()
    rmSync(home, { recursive: true })
  }
})

test('a generator reports idle stacks, and an executor does not', async () => {
  expect(await serveIdleStack('generator')).toEqual(['organization/shop/prod'])
  expect(await serveIdleStack('executor')).toEqual([])
})
