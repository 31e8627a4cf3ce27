/**
 * The API function answers the routes for webhooks of Pulumi's clients. The partitions that these
 * routes use are compared with its role. A missing permission appears on AWS only.
 */
import { expect, test } from 'vitest'
import { createApi } from '../../functions/api/create-api.ts'
import { createToken } from '../../shared/api/issue-token.ts'
import { pulumiWebhookRoutes } from '../../shared/pulumi-service/pulumi-webhook-routes.ts'
import { stackIdOf } from '../../shared/records/ids.ts'
import { openModelApi } from './open-model-api.ts'
import { listForbiddenUses } from './partition-uses.ts'

const webhook = { name: 'ops', payloadUrl: 'https://example.com/', active: true, secret: 's' }

/** Opens the API with a queue whose messages are delivered immediately. */
async function openWebhookApi() {
  const { ports, uses } = await openModelApi()
  await ports.catalog.createStack(stackIdOf('shop', 'dev'), ports.clock.now())
  const { token } = await createToken(ports, { name: 'admin', role: 'admin' })
  const app = createApi({ ports, addressOf: () => '192.0.2.7' })
  uses.length = 0
  const call = async (method: string, path: string, body?: object) => {
    const response = await app.request(path, {
      method,
      headers: { authorization: `token ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
    return text
  }
  return { call, uses }
}

test('the routes for webhooks of clients of Pulumi use only the partitions of the role of the API', async () => {
  const { call, uses } = await openWebhookApi()
  const calledRoutes = new Set<string>()
  for (const base of ['/api/stacks/{org}/{project}/{stack}/hooks', '/api/orgs/{org}/hooks']) {
    let id = ''
    const callRoute = (method: string, subpath: string, body?: object): Promise<string> => {
      calledRoutes.add(`${method} ${base}${subpath}`)
      const values = new Map<string, string>([
        ...([
          ['org', 'organization'],
          ['project', 'shop'],
          ['stack', 'dev'],
        ] as const),
        ...([
          ['hook', webhook.name],
          ['delivery', id],
        ] as const),
      ])
      const path = `${base}${subpath}`.replaceAll(
        /\{(\w+)\}/g,
        (_, name: string) => values.get(name) ?? '',
      )
      return call(method, path, body)
    }
    await callRoute('POST', '', webhook)
    await callRoute('GET', '')
    await callRoute('GET', '/{hook}')
    await callRoute('PATCH', '/{hook}', webhook)
    id = String(Reflect.get(JSON.parse(await callRoute('POST', '/{hook}/ping')) as object, 'id'))
    await callRoute('GET', '/{hook}/deliveries')
    await callRoute('POST', '/{hook}/deliveries/{delivery}/redeliver')
    await callRoute('DELETE', '/{hook}')
  }
  expect(calledRoutes).toEqual(
    new Set(pulumiWebhookRoutes.map(({ method, path }) => `${method} ${path}`)),
  )
  expect(listForbiddenUses('api', uses)).toEqual([])
})
