import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ControlPort, LeasesPort } from '../../shared/ports/records.ts'
import { type Open, executorId, freshDeployment, holder } from './opened.ts'

const other = { ...holder, pid: 8 }

/** The control record of a deployment. */
export function controlContract(name: string, open: Open<{ readonly control: ControlPort }>): void {
  describe(`control: ${name}`, () => {
    let control: ControlPort
    let close: () => Promise<void>
    beforeAll(async () => {
      const opened = await open()
      control = opened.ports.control
      close = opened.close
    })
    afterAll(() => close())

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

    test('who was deposed cannot stop its successor', async () => {
      const deployment = freshDeployment()
      await control.create(deployment, holder)
      await control.hold(deployment, other)
      await control.stop(deployment, 'graceful', holder)
      expect((await control.read(deployment))?.stop).toBe('none')
      await control.stop(deployment, 'graceful', other)
      expect((await control.read(deployment))?.stop).toBe('graceful')
    })

    test('a new holder keeps the stop flag and the close', async () => {
      const deployment = freshDeployment()
      await control.create(deployment, holder)
      await control.stop(deployment, 'graceful')
      await control.close(deployment)
      await control.hold(deployment, other)
      const expected = { stop: 'graceful', holder: other, closed: true }
      expect(await control.read(deployment)).toEqual(expected)
      await control.close(deployment)
      expect(await control.read(deployment)).toEqual(expected)
    })

    test('nothing but its making makes a control record', async () => {
      const deployment = freshDeployment()
      await control.stop(deployment, 'forced')
      await control.hold(deployment, holder)
      await control.close(deployment)
      expect(await control.read(deployment)).toBeUndefined()
    })
  })
}

/** The leases of executors. */
export function leasesContract(name: string, open: Open<{ readonly leases: LeasesPort }>): void {
  describe(`leases: ${name}`, () => {
    let leases: LeasesPort
    let close: () => Promise<void>
    beforeAll(async () => {
      const opened = await open()
      leases = opened.ports.leases
      close = opened.close
    })
    afterAll(() => close())
    const executor = executorId('e')

    test('a renewal makes the counter grow and names the process groups', async () => {
      const deployment = freshDeployment()
      await leases.register(deployment, executor, holder)
      const [before] = await leases.list(deployment)
      expect(before).toEqual({ executor, holder, counter: 0, retired: false, groups: [] })
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
