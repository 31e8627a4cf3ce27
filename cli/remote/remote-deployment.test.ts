import { expect, test } from 'vitest'
import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import { createError } from '../../shared/errors/error.ts'
import type { ApiCall, ApiClient } from './api-client.ts'
import { deployRemotely, resumeRemotely } from './remote-deployment.ts'

const path = '/v1/stacks/shop/prod'

/** Creates an API whose stream sends events on demand. It records all requests. */
function createApi(endOfRequest: { readonly kind: string }) {
  const requests: string[] = []
  const stream = new TransformStream<Uint8Array, Uint8Array>()
  const writer = stream.writable.getWriter()
  const client: ApiClient = {
    call: async ({ method, path: callPath }: ApiCall) => {
      requests.push(`${method} ${callPath.replace(/requests\/.*/, 'requests/<key>')}`)
      if (method === 'DELETE' && endOfRequest.kind !== 'refused')
        throw createError('REQUEST_BEGUN', 'it has begun')
      return method === 'POST' ? {} : { end: endOfRequest }
    },
    getText: async () => '',
    upload: async () => undefined,
    openStream: async () => new Response(stream.readable),
  }
  const send = (event: string, data: object): Promise<void> =>
    writer.write(Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
  return { client, requests, send }
}

async function deployWith(endOfRequest: { readonly kind: string }) {
  const api = createApi(endOfRequest)
  const emitted: EngineEventPayload[] = []
  const running = await deployRemotely(
    api.client,
    path,
    { dryRun: false, archive: 'a', options: { command: 'up' } },
    { emit: event => void emitted.push(event) },
  )
  running.done.catch(() => undefined)
  return { ...api, running, emitted }
}

const result = { result: 'cancelled', changes: {}, pending: [] }

test('a waiting request is withdrawn when the user cancels', async () => {
  const { running, requests, send, emitted } = await deployWith({ kind: 'refused' })
  running.cancel()
  await send('end', { kind: 'refused', code: 'DEPLOYMENT_CANCELLED', message: 'withdrawn' })
  await expect(running.done).rejects.toMatchObject({ code: 'DEPLOYMENT_CANCELLED' })
  expect(requests).toEqual([`POST ${path}/deployments`, `DELETE ${path}/requests/<key>`])
  expect(emitted).toEqual([])
})

test('a request that has begun meanwhile is stopped', async () => {
  const { running, requests, send } = await deployWith({ kind: 'started' })
  running.cancel()
  await send('started', { number: 7 })
  await expect.poll(() => requests.at(-1)).toBe(`POST ${path}/deployments/7/cancel`)
  await send('end', { kind: 'deployed', ...result })
  expect(await running.done).toMatchObject({ result: 'cancelled' })
})

test('a running deployment is stopped, and no request is withdrawn', async () => {
  const { running, requests, send } = await deployWith({ kind: 'started' })
  await send('started', { number: 7 })
  await send('events', [])
  // The client reads `started` meanwhile. Before that, `terminate` would withdraw the request.
  await new Promise(done => setTimeout(done, 20))
  running.terminate()
  await expect.poll(() => requests.at(-1)).toBe(`POST ${path}/deployments/7/cancel`)
  expect(requests.join()).not.toContain('DELETE')
  await send('end', { kind: 'deployed', ...result })
  await running.done
})

test('an interrupted deployment is resumed by the server, reported from its beginning, and can be stopped', async () => {
  const { client, requests, send } = createApi({ kind: 'started' })
  const emitted: EngineEventPayload[] = []
  const sink = { emit: (event: EngineEventPayload) => void emitted.push(event) }
  const running = await resumeRemotely(client, path, 7, sink)
  await send('events', [{ preludeEvent: { config: {} } }])
  running.cancel()
  await expect
    .poll(() => requests)
    .toEqual([`POST ${path}/deployments/7/resume`, `POST ${path}/deployments/7/cancel`])
  await send('end', { kind: 'deployed', ...result })
  expect(await running.done).toMatchObject({ result: 'cancelled' })
  expect(emitted).toEqual([{ preludeEvent: { config: {} } }])
})
