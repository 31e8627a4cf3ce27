import { describe, expect, test } from 'vitest'
import type { ControlPort, LeasesPort } from '../../shared/ports/records.ts'
import {
  type OpenAdapter,
  toExecutorId,
  createDeploymentId,
  contractHolder,
  toLogNumber,
  withAdapter,
} from './open-adapter.ts'

const otherHolder = { ...contractHolder, pid: 8 }
const firstLogNumber = toLogNumber(1)

/** Tests the control record of a deployment. */
export function defineControlContract(
  name: string,
  open: OpenAdapter<{ readonly control: ControlPort }>,
): void {
  describe(`control: ${name}`, () => {
    let control: ControlPort
    withAdapter(open, adapter => {
      control = adapter.control
    })

    test('a control record is absent until its creation, and created once', async () => {
      const deployment = createDeploymentId()
      expect(await control.read(deployment)).toBeUndefined()
      expect(await control.create(deployment, contractHolder)).toBe(true)
      expect(await control.create(deployment, otherHolder)).toBe(false)
      expect(await control.read(deployment)).toEqual({
        stop: 'none',
        holder: contractHolder,
        closed: false,
      })
    })

    test('the stop flag can be raised and never lowered', async () => {
      const deployment = createDeploymentId()
      await control.create(deployment, contractHolder)
      await control.stop(deployment, 'graceful')
      expect((await control.read(deployment))?.stop).toBe('graceful')
      await control.stop(deployment, 'forced')
      await control.stop(deployment, 'graceful')
      expect((await control.read(deployment))?.stop).toBe('forced')
    })

    test('a new holder keeps the stop flag and the close', async () => {
      const deployment = createDeploymentId()
      await control.create(deployment, contractHolder)
      await control.stop(deployment, 'graceful')
      await control.close(deployment)
      await control.hold(deployment, otherHolder, firstLogNumber)
      const expected = { stop: 'graceful', holder: otherHolder, closed: true }
      expect(await control.read(deployment)).toEqual(expected)
      await control.close(deployment)
      expect(await control.read(deployment)).toEqual(expected)
    })

    test('only the holder hands a deployment over, and the next holder ends the hand-over', async () => {
      const deployment = createDeploymentId()
      await control.create(deployment, contractHolder)
      const handOver = { why: 'parked', pool: 'short', ended: 3 } as const
      expect(await control.handOver(deployment, otherHolder, handOver)).toBe(false)
      expect((await control.read(deployment))?.handedOver).toBeUndefined()
      expect(await control.handOver(deployment, contractHolder, handOver)).toBe(true)
      expect(await control.handOver(deployment, contractHolder, handOver)).toBe(true)
      expect((await control.read(deployment))?.handedOver).toEqual(handOver)
      await control.hold(deployment, otherHolder, firstLogNumber)
      expect((await control.read(deployment))?.handedOver).toBeUndefined()
      await control.close(deployment)
      expect(await control.handOver(deployment, otherHolder, handOver)).toBe(false)
    })

    test('an earlier takeover cannot replace a later holder, nor end a hand-over twice', async () => {
      const deployment = createDeploymentId()
      await control.create(deployment, contractHolder)
      await control.hold(deployment, otherHolder, toLogNumber(7))
      await control.hold(deployment, contractHolder, firstLogNumber)
      expect((await control.read(deployment))?.holder).toEqual(otherHolder)
      const handOver = { why: 'limit', pool: 'short', ended: 3 } as const
      expect(await control.handOver(deployment, otherHolder, handOver)).toBe(true)
      await control.hold(deployment, otherHolder, toLogNumber(7))
      expect((await control.read(deployment))?.handedOver).toEqual(handOver)
    })

    test('only a create creates a control record', async () => {
      const deployment = createDeploymentId()
      await control.stop(deployment, 'forced')
      await control.hold(deployment, contractHolder, firstLogNumber)
      await control.handOver(deployment, contractHolder, { why: 'limit', pool: 'long', ended: 0 })
      await control.close(deployment)
      expect(await control.read(deployment)).toBeUndefined()
    })
  })
}

/** Tests the leases of executors. */
export function defineLeasesContract(
  name: string,
  open: OpenAdapter<{ readonly leases: LeasesPort }>,
): void {
  describe(`leases: ${name}`, () => {
    let leases: LeasesPort
    withAdapter(open, adapter => {
      leases = adapter.leases
    })
    const executor = toExecutorId('e')

    test('a renewal increments the counter and stores the process groups', async () => {
      const deployment = createDeploymentId()
      await leases.register(deployment, executor, contractHolder)
      const [before] = await leases.list(deployment)
      expect(before).toEqual({
        executor,
        holder: contractHolder,
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

    test('a retired lease is never renewed or registered again', async () => {
      const deployment = createDeploymentId()
      await leases.register(deployment, executor, contractHolder)
      await leases.retire(deployment, executor)
      await leases.register(deployment, executor, contractHolder)
      expect(await leases.renew(deployment, executor, [])).toBe(false)
      expect(await leases.list(deployment)).toMatchObject([{ retired: true, counter: 0 }])
    })

    test('an executor that leaves stays retired, and counts as left even if another one retires it', async () => {
      const deployment = createDeploymentId()
      for (const executorName of ['before', 'after'])
        await leases.register(deployment, toExecutorId(executorName), contractHolder)
      await leases.retire(deployment, toExecutorId('before'))
      expect((await leases.list(deployment)).some(({ left }) => left)).toBe(false)
      await leases.leave(deployment, toExecutorId('before'))
      await leases.leave(deployment, toExecutorId('after'))
      await leases.retire(deployment, toExecutorId('after'))
      const retiredLease = { retired: true, left: true }
      expect(await leases.list(deployment)).toMatchObject([retiredLease, retiredLease])
      expect(await leases.renew(deployment, toExecutorId('after'), [])).toBe(false)
    })

    test('an unregistered executor cannot renew', async () => {
      const deployment = createDeploymentId()
      expect(await leases.renew(deployment, executor, [])).toBe(false)
      expect(await leases.list(deployment)).toEqual([])
    })

    test('a repeated registration does not reset the counter', async () => {
      const deployment = createDeploymentId()
      await leases.register(deployment, executor, contractHolder)
      await leases.renew(deployment, executor, [])
      const [before] = await leases.list(deployment)
      await leases.register(deployment, executor, contractHolder)
      expect(await leases.list(deployment)).toEqual([before])
    })
  })
}
