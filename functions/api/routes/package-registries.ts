import {
  packageRegistryDocument,
  packageRegistryDraft,
  packageRegistryKeyOf,
  sealPackageRegistry,
} from '../../../shared/runtime/programs/registries/package-registry.ts'
import { parseDocumentValue } from '../../../shared/triggers/parse-document-value.ts'
import { createCollectionRoutes, documentNameOf } from '../collection-routes.ts'

/**
 * Routes of the registries from which the installer gets packages. The programs of all stacks use
 * them, so only an administrator of the installation stores registries.
 */
export const packageRegistryRoutes = createCollectionRoutes({
  path: '/v1/package-registries',
  scope: 'installation',
  noun: 'package registry',
  readRole: 'admin',
  writeRole: 'admin',
  draft: packageRegistryDraft,
  keyOf: params => packageRegistryKeyOf(documentNameOf(params)),
  createValue: (ports, key, draft) => sealPackageRegistry(ports.sealing, key, draft),
  show: stored => {
    const { credential, ...registry } = parseDocumentValue(packageRegistryDocument, stored)
    return { ...registry, hasCredential: credential !== undefined }
  },
})
