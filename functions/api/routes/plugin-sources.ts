import {
  pluginSourceDocument,
  pluginSourceDraft,
  pluginSourceKeyOf,
  sealPluginSource,
} from '../../../shared/runtime/plugins/plugin-source-document.ts'
import { parseDocumentValue } from '../../../shared/triggers/parse-document-value.ts'
import { createCollectionRoutes, documentNameOf } from '../collection-routes.ts'
import { requirePluginStore } from './plugins.ts'

/**
 * Routes of the sources from which generators may download plugins. Every stack of the installation
 * can use a downloaded plugin, so only an administrator of the installation allows sources.
 */
export const pluginSourceRoutes = createCollectionRoutes({
  path: '/v1/plugin-sources',
  scope: 'installation',
  noun: 'plugin source',
  readRole: 'admin',
  writeRole: 'admin',
  draft: pluginSourceDraft,
  keyOf: params => pluginSourceKeyOf(documentNameOf(params)),
  createValue: async (ports, key, draft) => {
    requirePluginStore(ports)
    return sealPluginSource(ports.sealing, key, draft)
  },
  show: stored => {
    const { source, credential } = parseDocumentValue(pluginSourceDocument, stored)
    return { source, hasCredential: credential !== undefined }
  },
})
