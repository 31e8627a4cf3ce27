import { parseDocumentValue } from '../../../shared/triggers/parse-document-value.ts'
import { createCollectionRoutes, documentNameOf } from '../collection-routes.ts'
import {
  federationDocument,
  federationKeyOf,
  requireNarrowRule,
} from '../../../shared/api/federation/federation-rule.ts'

/**
 * Routes of federation rules. They require the role of the token routes, because a rule grants
 * tokens.
 */
export const federationRoutes = createCollectionRoutes({
  path: '/v1/federations',
  scope: 'installation',
  isForAllGroups: true,
  noun: 'federation rule',
  readRole: 'admin',
  writeRole: 'admin',
  draft: federationDocument,
  keyOf: params => federationKeyOf(documentNameOf(params)),
  createValue: async ({ addresses }, _key, draft) => {
    requireNarrowRule(draft, addresses)
    return draft
  },
  show: stored => parseDocumentValue(federationDocument, stored),
})
