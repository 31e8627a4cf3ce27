import * as z from 'zod'
import {
  type DocumentKey,
  type DocumentsPort,
  type SealingPort,
  sealingContextOf,
} from '../../../ports/documents.ts'
import { parseDocumentValue } from '../../../triggers/parse-document-value.ts'
import { readDocumentsOf } from '../../../triggers/read-documents.ts'

const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The address of a registry. Plain http would send the credential unencrypted. */
const addressForm = z
  .url({ protocol: /^https?$/ })
  .max(1_000)
  .refine(text => {
    const { protocol, hostname } = new URL(text)
    return protocol === 'https:' || loopbackHosts.has(hostname)
  }, 'must begin with https://')
  .refine(text => {
    const { username, password, search, hash } = new URL(text)
    return username + password + search + hash === ''
  }, 'must have no user name, query or fragment: send the credential as `credential`')

const registryFields = {
  /** `npm` also serves pnpm and yarn. `pip` is an index of Python packages. */
  manager: z.enum(['npm', 'pip']),
  address: addressForm,
  /** The npm scope whose packages come from the registry. Absent: all packages come from it. */
  scope: z
    .string()
    .max(200)
    .regex(/^@[\w.-]+$/, 'must be a scope of npm such as @acme')
    .optional(),
  /** Whether code of packages and programs may run although the registry has a credential. */
  runsScripts: z.boolean().default(false),
}

const credentialForm = z
  .string()
  .min(1)
  .max(4_000)
  // A space or line break would end the value in the configuration of the package manager.
  .regex(/^[\x21-\x7e]+$/, 'must have no spaces and only ASCII characters')

const hasFittingScope = ({ manager, scope }: { manager: string; scope?: string | undefined }) =>
  manager === 'npm' || scope === undefined
const scopeMessage = 'only a registry of npm has a scope'

/** A stored package registry, with its sealed credential. */
export const packageRegistryDocument = z
  .strictObject({ ...registryFields, credential: z.string().optional() })
  .refine(hasFittingScope, scopeMessage)

/** A package registry as an administrator sends it, with the credential in plaintext. */
export const packageRegistryDraft = z
  .strictObject({ ...registryFields, credential: credentialForm.optional() })
  .refine(hasFittingScope, scopeMessage)

/** A package registry as an installation of packages uses it, with the credential in plaintext. */
export const packageRegistryForm = z.strictObject({
  ...registryFields,
  name: z.string(),
  credential: credentialForm.optional(),
})
export type PackageRegistry = z.infer<typeof packageRegistryForm>

/** Returns the document key of a package registry, which belongs to no stack. */
export function packageRegistryKeyOf(name: string): DocumentKey {
  return { kind: 'package-registry', scope: '*', name }
}

/**
 * Seals the credential of a package registry. Throws STORE_UNAVAILABLE and SECRETS_KEY_UNUSABLE.
 */
export async function sealPackageRegistry(
  sealing: SealingPort,
  key: DocumentKey,
  { credential, ...registry }: z.infer<typeof packageRegistryDraft>,
): Promise<z.infer<typeof packageRegistryDocument>> {
  if (credential === undefined) return registry
  return { ...registry, credential: await sealing.seal(credential, sealingContextOf(key)) }
}

/**
 * Returns the package registries of an installation with their credentials. Throws RECORD_DAMAGED,
 * SEALED_UNREADABLE and the errors of the store.
 */
export async function openPackageRegistries({
  documents,
  sealing,
}: {
  readonly documents: Pick<DocumentsPort, 'list'>
  readonly sealing: Pick<SealingPort, 'open'>
}): Promise<readonly PackageRegistry[]> {
  const registries: PackageRegistry[] = []
  for await (const stored of readDocumentsOf(documents, 'package-registry', '*')) {
    const { credential, ...registry } = parseDocumentValue(packageRegistryDocument, stored)
    const openedCredential =
      credential === undefined
        ? {}
        : { credential: await sealing.open(credential, sealingContextOf(stored.key)) }
    registries.push({ ...registry, ...openedCredential, name: stored.key.name })
  }
  return registries
}
