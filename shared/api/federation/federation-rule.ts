import * as z from 'zod'
import { federationLimits as limits } from '../../config/federation-limits.ts'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { createError } from '../../errors/error.ts'
import type { DocumentKey, DocumentPage, DocumentsPort } from '../../ports/documents.ts'
import type { LoggerPort } from '../../ports/system.ts'
import { type AddressRules, refuseForbiddenUrl } from '../../triggers/outbound/address-filter.ts'
import { roles } from '../authorization.ts'
import { tokenStacksForm } from '../token-document.ts'
import { restrictsOwner } from './public-issuers.ts'

const conditionsForm = z
  .record(
    z.string().regex(/^[A-Za-z][\w.:/-]{0,99}$/, 'must be the name of a claim'),
    z.string().min(1).max(limits.patternCharsMax),
  )
  .refine(conditions => {
    const count = Object.keys(conditions).length
    return count > 0 && count <= limits.conditionsMax
  }, `must have 1 to ${limits.conditionsMax} claims`)

/** The conditions on an OIDC token, and the permissions of the token for which it is exchanged. */
export const federationDocument = z.strictObject({
  /** The URL of the issuer, exactly as in the claim `iss`. */
  issuer: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .refine(url => !/[?#]/.test(url), 'must be a URL without a query or fragment'),
  audience: z.string().min(1).max(500),
  /** Patterns of claims, all of which must match. */
  claims: conditionsForm,
  role: z.enum(roles),
  /** The stacks of the token that the exchange creates. Absent: all. */
  stacks: tokenStacksForm.optional(),
  /** The lifetime of the token that the exchange creates. */
  lifetimeSeconds: z
    .int()
    .min(limits.lifetimeSecondsMin)
    .max(limits.lifetimeSecondsMax)
    .default(limits.lifetimeSecondsDefault),
  isPaused: z.boolean().default(false),
})

/** The settings of a federation rule. */
export type FederationDocument = z.infer<typeof federationDocument>

/** A federation rule with its name and version. */
export interface FederationRule extends FederationDocument {
  readonly name: string
  readonly version: number
}

/** Returns the document key of a rule. */
export function federationKeyOf(name: string): DocumentKey {
  return { kind: 'federation', scope: '*', name }
}

/**
 * Refuses a rule whose issuer must not be called, or that admits tokens of every account of the
 * issuer. Throws OUTBOUND_REFUSED, FEDERATION_TOO_BROAD.
 */
export function requireNarrowRule(
  { issuer, claims }: FederationDocument,
  addresses: AddressRules,
): void {
  refuseForbiddenUrl(issuer, addresses)
  if (!restrictsOwner(issuer, claims))
    throw createError(
      'FEDERATION_TOO_BROAD',
      `no condition of the rule names an account or repository, so the tokens of all accounts of ${issuer} would match`,
    )
}

/**
 * Returns the rules that are not paused, from at most `documentPagesMax` pages. An invalid or
 * unreadable rule is logged, and does not affect the others.
 */
export async function listActiveRules(
  documents: Pick<DocumentsPort, 'list'>,
  logger: LoggerPort,
): Promise<readonly FederationRule[]> {
  const rules: FederationRule[] = []
  let cursor: string | undefined = ''
  for (
    let pageIndex = 0;
    cursor !== undefined && pageIndex < triggerLimits.documentPagesMax;
    pageIndex += 1
  ) {
    const rulePage: DocumentPage = await documents.list('federation', cursor, '*')
    const invalidNames = rulePage.unreadable.map(({ key }) => key.name)
    for (const { key, version, value } of rulePage.documents) {
      const { data } = federationDocument.safeParse(value)
      if (data === undefined) invalidNames.push(key.name)
      else if (!data.isPaused) rules.push({ ...data, name: key.name, version })
    }
    for (const rule of invalidNames) logger.write('warn', 'federation.invalid', { rule })
    cursor = rulePage.next
  }
  return rules
}
