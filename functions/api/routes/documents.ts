import type { StoredDocument } from '../../../shared/ports/documents.ts'
import { refuseForbiddenUrl } from '../../../shared/triggers/outbound/address-filter.ts'
import { notificationDocument } from '../../../shared/triggers/notifications/notification-document.ts'
import { scheduleDocument } from '../../../shared/triggers/schedules/due-schedule.ts'
import { removeSchedulerCalls } from '../../../shared/triggers/schedules/remove-scheduler-calls.ts'
import { sharedScheduleDocumentKeyOf } from '../../../shared/triggers/schedules/shared-schedule.ts'
import { parseDocumentValue } from '../../../shared/triggers/parse-document-value.ts'
import {
  sealWebhook,
  webhookDocument,
  webhookDraft,
  webhookKeyOf,
} from '../../../shared/triggers/webhooks/webhook-document.ts'
import { defaultGroup } from '../../../shared/config/stack-groups.ts'
import { requireGroup } from '../../../shared/runtime/groups/port-groups.ts'
import { createCollectionRoutes, documentNameOf } from '../collection-routes.ts'
import { type Route, stackOf } from '../../../shared/api/define-route.ts'
import {
  createNotificationValue,
  notificationDraft,
} from '../../../shared/api/notification-value.ts'
import {
  createScheduleValue,
  scheduleDraft,
  sharedScheduleDraft,
} from '../../../shared/api/schedule-value.ts'

/**
 * The routes of webhooks. The rules of a webhook can name any stack. So only an administrator of
 * the installation may read or change webhooks.
 */
const webhooks = createCollectionRoutes({
  path: '/v1/webhooks',
  scope: 'installation',
  noun: 'webhook',
  readRole: 'admin',
  writeRole: 'admin',
  draft: webhookDraft,
  keyOf: params => webhookKeyOf(documentNameOf(params)),
  createValue: async ({ sealing, addresses, stackGroup, stackGroups }, { name }, draft) => {
    for (const { stack } of draft.rules)
      requireGroup(stackGroups ?? [], stackGroup ?? defaultGroup, stack)
    if (draft.apiUrl !== undefined) refuseForbiddenUrl(draft.apiUrl, addresses)
    return sealWebhook(sealing, name, draft)
  },
  show: stored => {
    const { secrets, credential, ...plainFields } = parseDocumentValue(webhookDocument, stored)
    return { ...plainFields, secrets: secrets.length, hasCredential: credential !== undefined }
  },
})

const scheduleParts = {
  show: (stored: StoredDocument) => {
    const {
      placed: _placed,
      removalAt: _removalAt,
      recentRuns,
      ...visibleFields
    } = parseDocumentValue(scheduleDocument, stored)
    const lastRunAt = recentRuns?.at(-1)
    return { ...visibleFields, ...(lastRunAt === undefined ? {} : { lastRunAt }) }
  },
  createValue: createScheduleValue,
  removeRelated: removeSchedulerCalls,
} as const

const schedules = [
  ...createCollectionRoutes({
    ...scheduleParts,
    path: '/v1/stacks/{project}/{stack}/schedules',
    scope: 'stack',
    noun: 'schedule',
    readRole: 'read',
    writeRole: 'deploy',
    // Only an administrator may remove a stack.
    fieldRoles: { removesStack: 'admin' },
    draft: scheduleDraft,
    keyOf: params => ({ kind: 'schedule', scope: stackOf(params), name: documentNameOf(params) }),
  }),
  // A shared schedule can run on stacks that the token of a deployer does not cover.
  ...createCollectionRoutes({
    ...scheduleParts,
    path: '/v1/schedules',
    scope: 'installation',
    noun: 'shared schedule',
    readRole: 'admin',
    writeRole: 'admin',
    draft: sharedScheduleDraft,
    keyOf: params => sharedScheduleDocumentKeyOf(documentNameOf(params)),
  }),
]

const notificationParts = {
  noun: 'notification',
  draft: notificationDraft,
  createValue: createNotificationValue,
  show: (stored: StoredDocument) => {
    const {
      secret,
      secretScope: _secretScope,
      ...plainFields
    } = parseDocumentValue(notificationDocument, stored)
    return { ...plainFields, hasSecret: secret !== undefined }
  },
} as const

const notifications = [
  ...createCollectionRoutes({
    ...notificationParts,
    path: '/v1/notifications',
    scope: 'installation',
    readRole: 'admin',
    writeRole: 'admin',
    keyOf: params => ({ kind: 'notification', scope: '*', name: documentNameOf(params) }),
  }),
  ...createCollectionRoutes({
    ...notificationParts,
    path: '/v1/stacks/{project}/{stack}/notifications',
    scope: 'stack',
    // The address of a notification can be confidential.
    readRole: 'deploy',
    writeRole: 'deploy',
    keyOf: params => ({
      kind: 'notification',
      scope: stackOf(params),
      name: documentNameOf(params),
    }),
  }),
]

/** Routes of webhooks, schedules and notifications. */
export const documentRoutes: readonly Route[] = [...webhooks, ...schedules, ...notifications]
