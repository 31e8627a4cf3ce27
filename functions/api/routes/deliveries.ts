import * as z from 'zod'
import type { DocumentKey } from '../../../shared/ports/documents.ts'
import {
  readDeliveryHistory,
  sentDeliveryForm,
} from '../../../shared/triggers/notifications/delivery-history.ts'
import { createDeliverySender } from '../../../shared/triggers/notifications/delivery-sender.ts'
import { documentNameOf } from '../collection-routes.ts'
import {
  defineRoute,
  type Route,
  type RouteCall,
  stackOf,
} from '../../../shared/api/define-route.ts'
import { requireDocument } from '../../../shared/api/document-store.ts'
import { requireNotification } from '../../../shared/api/notification-value.ts'

type Params = RouteCall<unknown, unknown>['params']

/** Routes for the deliveries of notifications. They require the role that notifications require. */
export const deliveryRoutes: readonly Route[] = [
  ...createDeliveryRoutes({ path: '/v1/notifications', scope: 'installation', role: 'admin' }),
  ...createDeliveryRoutes({
    path: '/v1/stacks/{project}/{stack}/notifications',
    scope: 'stack',
    role: 'deploy',
  }),
]

function createDeliveryRoutes({
  path,
  ...access
}: Pick<Route, 'path' | 'scope' | 'role'>): readonly Route[] {
  const keyOf = (params: Params): DocumentKey => ({
    kind: 'notification',
    scope: access.scope === 'stack' ? stackOf(params) : '*',
    name: documentNameOf(params),
  })
  const notificationPath = `${path}/{name}`
  const sendRoute = { ...access, method: 'POST', output: sentDeliveryForm } as const
  return [
    defineRoute({
      ...access,
      method: 'GET',
      path: `${notificationPath}/deliveries`,
      summary: 'List the last deliveries of a notification, newest first',
      output: z.object({ items: z.array(sentDeliveryForm) }),
      run: async (ports, { params }) => {
        const { key } = await requireDocument(ports, keyOf(params))
        return { json: { items: await readDeliveryHistory(ports.documents, key) } }
      },
    }),
    defineRoute({
      ...sendRoute,
      path: `${notificationPath}/ping`,
      summary: 'Send a test delivery, and return the response of the receiver',
      run: async (ports, { params }) => {
        const notification = await requireNotification(ports, keyOf(params))
        const sender = ports.sender ?? createDeliverySender(ports)
        return { json: await sender.ping(notification, ports.random.uuid()) }
      },
    }),
    defineRoute({
      ...sendRoute,
      path: `${notificationPath}/deliveries/{delivery}/redeliver`,
      summary: 'Send a delivery again, and return the response of the receiver',
      run: async (ports, { params }) => {
        const notification = await requireNotification(ports, keyOf(params))
        const sender = ports.sender ?? createDeliverySender(ports)
        return { json: await sender.redeliver(notification, params['delivery'] ?? '') }
      },
    }),
  ]
}
