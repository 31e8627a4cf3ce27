import { describe, expect, test } from 'vitest'
import type { ControlPort, LeasesPort } from '../../shared/ports/records.ts'
import { type Open, executorId, freshDeployment, holder, logNumber, whileOpen } from './opened.ts'

const other = { ...holder, pid: 8 }
const first = logNumber(1)

/** The control record of a deployment. */
export function controlContract(name: string, open: Open<{ readonly control: ControlPort }>): void {
  describe(`control: ${name}`, () => {
    let control: ControlPort
    whileOpen(open, given => {
      control = given.control
    })

    test('a control record is absent until it is made, and made once', async () => {
      const deployment = freshDeployment()
      expect(await control.read(deployment)).toBeUndefined()
      expect(await control.create(deployment, holder)).toBe(true)
      expect(await control.create(deployment, other)).toBe(false)
      expect(await control.read(deployment)).toEqual({ stop: 'none', holder, closed: false })
    })

    test('the stop flag grows and is never lowered', async () => {
      const deployment = freshDeployment()
      await control.create(deployment, holder)
      await control.stop(deployment, 'graceful')
      expect((await control.read(deployment))?.stop).toBe('graceful')
      await control.stop(deployment, 'forced')
      await control.stop(deployment, 'graceful')
      expect((await control.read(deployment))?.stop).toBe('forced')
    })

    test('a new holder keeps the stop flag and the close', async () => {
      const deployment = freshDeployment()
      await control.create(deployment, holder)
      await control.stop(deployment, 'graceful')
      await control.close(deployment)
      await control.hold(deployment, other, first)
      const expected = { stop: 'graceful', holder: other, closed: true }
      expect(await control.read(deployment)).toEqual(expected)
      await control.close(deployment)
      expect(await control.read(deployment)).toEqual(expected)
    })

    test('only who holds it hands it over, and the next holder ends that', async () => {
      const deployment = freshDeployment()
      await control.create(deployment, holder)
      const handOver = { why: 'parked', pool: 'short', ended: 3 } as const
      expect(await control.handOver(deployment, other, handOver)).toBe(false)
      expect((await control.read(deployment))?.handedOver).toBeUndefined()
      expect(await control.handOver(deployment, holder, handOver)).toBe(true)
      expect(await control.handOver(deployment, holder, handOver)).toBe(true)
      expect((await control.read(deployment))?.handedOver).toEqual(handOver)
      await control.hold(deployment, other, first)
      expect((await control.read(deployment))?.handedOver).toBeUndefined()
      await control.close(deployment)
      expect(await control.handOver(deployment, other, handOver)).toBe(false)
    })

    test('who took over earlier cannot name itself later, nor end a hand-over twice', async () => {
      const deployment = freshDeployment()
      await control.create(deployment, holder)
      await control.hold(deployment, other, logNumber(7))
      await control.hold(deployment, holder, first)
      expect((await control.read(deployment))?.holder).toEqual(other)
      const handOver = { why: 'limit', pool: 'short', ended: 3 } as const
      expect(await control.handOver(deployment, other, handOver)).toBe(true)
      await control.hold(deployment, other, logNumber(7))
      expect((await control.read(deployment))?.handedOver).toEqual(handOver)
    })

    test('nothing but its making makes a control record', async () => {
      const deployment = freshDeployment()
      await control.stop(deployment, 'forced')
      await control.hold(deployment, holder, first)
      await control.handOver(deployment, holder, { why: 'limit', pool: 'long', ended: 0 })
      await control.close(deployment)
      expect(await control.read(deployment)).toBeUndefined()
    })
  })
}

/** The leases of executors. */
export function leasesContract(name: string, open: Open<{ readonly leases: LeasesPort }>): void {
  describe(`leases: ${name}`, () => {
    let leases: LeasesPort
    whileOpen(open, given => {
      leases = given.leases
    })
    const executor = executorId('e')

    test('a renewal makes the counter grow and names the process groups', async () => {
      const deployment = freshDeployment()
      await leases.register(deployment, executor, holder)
      const [before] = await leases.list(deployment)
      expect(before).toEqual({
        executor,
        holder,
        counter: 0,
        retired: false,
        left: false,
        groups: [],
      })
      const groups = [{ pid: 12, started: '99' }]
      expect(await leases.renew(deployment, executor, groups)).toBe(true)
      const [after] = await leases.list(deployment)
      expect(after?.counter).toBeGreaterThan(0)
      expect(after?.groups).toEqual(groups)
    })

    test('a lease that was retired is never renewed or registered again', async () => {
      const deployment = freshDeployment()
      await leases.register(deployment, executor, holder)
      await leases.retire(deployment, executor)
      await leases.register(deployment, executor, holder)
      expect(await leases.renew(deployment, executor, [])).toBe(false)
      expect(await leases.list(deployment)).toMatchObject([{ retired: true, counter: 0 }])
    })

    test('who leaves is retired for ever, and has left whoever else retires it', async () => {
      const deployment = freshDeployment()
      for (const other of ['before', 'after'])
        await leases.register(deployment, executorId(other), holder)
      await leases.retire(deployment, executorId('before'))
      expect((await leases.list(deployment)).some(({ left }) => left)).toBe(false)
      await leases.leave(deployment, executorId('before'))
      await leases.leave(deployment, executorId('after'))
      await leases.retire(deployment, executorId('after'))
      const both = { retired: true, left: true }
      expect(await leases.list(deployment)).toMatchObject([both, both])
      expect(await leases.renew(deployment, executorId('after'), [])).toBe(false)
    })

    test('who never registered cannot renew', async () => {
      const deployment = freshDeployment()
      expect(await leases.renew(deployment, executor, [])).toBe(false)
      expect(await leases.list(deployment)).toEqual([])
    })

    test('registering again does not reset the counter', async () => {
      const deployment = freshDeployment()
      await leases.register(deployment, executor, holder)
      await leases.renew(deployment, executor, [])
      const [before] = await leases.list(deployment)
      await leases.register(deployment, executor, holder)
      expect(await leases.list(deployment)).toEqual([before])
    })
  })
}
