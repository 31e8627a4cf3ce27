import { expect, test } from 'vitest'
import type { ScalerCall } from '../../shared/platform/aws/call-scaler.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import { serveScaling } from './serve-scaling.ts'

const queue = 'nudges-long'
const sent: ScalerCall = { kind: 'sent', queue, messages: 1 }
const idle: ScalerCall = { kind: 'idle', queue }
const check: ScalerCall = { kind: 'check' }

/** Creates a service and its queue. The test sets the messages and the running tasks. */
function createPool(pool: { desired: number; running: number; visible: number }) {
  const call = (event: ScalerCall, beforeUpdate: () => Promise<unknown> = async () => undefined) =>
    serveScaling(
      {
        services: {
          readTasks: async name =>
            name === queue
              ? { desired: pool.desired, running: pool.running }
              : { desired: 0, running: 0 },
          setTasks: async (name, desired) => {
            expect(name).toBe(queue)
            await beforeUpdate()
            pool.desired = desired
          },
        },
        countMessages: async name => ({
          visible: name === queue ? pool.visible : 0,
          delayed: 0,
          held: 0,
        }),
        tasksMax: 4,
        logger: silentLogger,
      },
      event,
    )
  return { pool, call }
}

test('a stopped task finds a message that was sent while another call removed the tasks', async () => {
  const { pool, call } = createPool({ desired: 1, running: 1, visible: 0 })
  await call(idle, async () => {
    pool.visible = 1
    // The sender sees a task that is about to be removed, and changes nothing.
    expect(await call(sent)).toEqual({ [queue]: 1 })
  })
  expect(pool.desired).toBe(0)
  pool.running = 0
  await call(check)
  expect(pool.desired).toBe(1)
})

test('a raise that another call overwrites with a lower number is repeated by a busy task', async () => {
  const { pool, call } = createPool({ desired: 0, running: 0, visible: 1 })
  await call(sent, async () => {
    pool.visible = 2
    await call(sent)
    expect(pool.desired).toBe(2)
  })
  expect(pool.desired).toBe(1)
  // The only task has removed its message, and works.
  Object.assign(pool, { running: 1, visible: 1 })
  await call(check)
  expect(pool.desired).toBe(2)
})

test('an unchanged number of tasks is not written again, because ECS limits its requests', async () => {
  const { pool, call } = createPool({ desired: 1, running: 1, visible: 1 })
  await call(sent, () => Promise.reject(new Error('an update')))
  expect(pool.desired).toBe(1)
})

test.each([undefined, {}, { kind: 'tidy' }, { kind: 'sent', queue: 'chains', messages: 1 }])(
  'the event %j is refused',
  async event => {
    const { call } = createPool({ desired: 0, running: 0, visible: 0 })
    await expect(call(event as never)).rejects.toThrow()
  },
)
