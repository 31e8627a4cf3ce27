import { describe, expect, test } from 'vitest'
import { createSerialQueue } from './serial-queue.ts'

/** The second of three pieces of work. The keys state when the third one begins. */
const secondWorks = {
  'after a success': () => Promise.resolve('first'),
  'after a rejection': () => Promise.reject(new Error('first')),
  'after a synchronous exception': () => {
    throw new Error('first')
  },
}

describe('queued work', () => {
  for (const [name, secondWork] of Object.entries(secondWorks))
    test(`begins ${name}, and has its own result`, async () => {
      const log: string[] = []
      const gate = Promise.withResolvers<void>()
      const run = createSerialQueue()
      const first = run(async () => {
        log.push('first begins')
        await gate.promise
        log.push('first ends')
      }).then(() => undefined)
      const second = run(secondWork)
      const third = run(() => {
        log.push('third begins')
        return Promise.resolve('third')
      })
      const settled = Promise.allSettled([first, second, third])
      await new Promise<void>(done => setImmediate(done))
      expect(log).toEqual(['first begins'])
      gate.resolve()
      const [, middle, last] = await settled
      expect(log).toEqual(['first begins', 'first ends', 'third begins'])
      expect(middle.status).toBe(name === 'after a success' ? 'fulfilled' : 'rejected')
      expect(last).toEqual({ status: 'fulfilled', value: 'third' })
    })
})
