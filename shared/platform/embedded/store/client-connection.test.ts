import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { limits } from '../../../config/limits.ts'
import { tryConnect } from './client-connection.ts'
import { protocolVersion } from './store-message.ts'

/** Connects to an owner that answers no request, except by `answer`. */
async function connectToSilentOwner() {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-owner-'))
  const accepted = Promise.withResolvers<Socket>()
  const server = createServer(socket => {
    socket.write(`${JSON.stringify({ protocol: protocolVersion, schema: 1, pid: 7 })}\n`)
    accepted.resolve(socket)
  })
  const path = join(folder, 'owner.sock')
  server.listen(path)
  await once(server, 'listening')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const lost: string[] = []
  let onReplies = (): void => {}
  const connection = await tryConnect(path, {
    onReplies: () => onReplies(),
    onLost: reason => lost.push(reason.code),
  })
  if (connection === undefined) throw new Error('the owner does not respond')
  const socket = await accepted.promise
  socket.resume()
  onTestFinished(async () => {
    vi.useRealTimers()
    await connection.close()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const send = (id: number): void => connection.send([{ id, method: 'clock.read', args: {} }])
  const answer = async (id: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    onReplies = resolve
    socket.write(`${JSON.stringify([{ id, value: null }])}\n`)
    await promise
  }
  const listLostAfter = async (ms: number): Promise<readonly string[]> => {
    await vi.advanceTimersByTimeAsync(ms)
    // The loss of a destroyed socket is reported in a later turn.
    await new Promise(resolve => setImmediate(resolve))
    return lost
  }
  return { send, answer, listLostAfter }
}

test('further requests do not extend the time of a silent owner', async () => {
  const { send, listLostAfter } = await connectToSilentOwner()
  send(1)
  expect(await listLostAfter(limits.storeResponseMs - 1)).toEqual([])
  send(2)
  expect(await listLostAfter(1)).toEqual(['STORE_UNAVAILABLE'])
})

test('an owner that answers one of several requests is not silent', async () => {
  const { send, answer, listLostAfter } = await connectToSilentOwner()
  send(1)
  send(2)
  expect(await listLostAfter(limits.storeResponseMs - 1)).toEqual([])
  await answer(2)
  expect(await listLostAfter(limits.storeResponseMs - 1)).toEqual([])
  expect(await listLostAfter(1)).toEqual(['STORE_UNAVAILABLE'])
})

test('an owner without a waiting request may be silent, and each wait has the whole time', async () => {
  const { send, answer, listLostAfter } = await connectToSilentOwner()
  send(1)
  await answer(1)
  expect(await listLostAfter(10 * limits.storeResponseMs)).toEqual([])
  send(2)
  expect(await listLostAfter(limits.storeResponseMs - 1)).toEqual([])
})
