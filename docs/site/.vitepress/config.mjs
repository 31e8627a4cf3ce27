/** The settings of the generator. The pages and the navigation come from `docs/site/main.ts`. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const cacheFolder = fileURLToPath(new URL('../../../.cache', import.meta.url))
const pagesFolder = `${cacheFolder}/docs-pages`

/** Returns the anchor that GitHub gives a heading, so that links work at both places. */
function createAnchor(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

export default defineConfig({
  title: 'Antichain',
  description: 'A serverless, event-driven deployment engine for Pulumi programs',
  lang: 'en',
  srcDir: pagesFolder,
  outDir: `${cacheFolder}/docs-site`,
  cacheDir: `${cacheFolder}/docs-cache`,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    anchor: { slugify: createAnchor },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    languageAlias: { promql: 'text' },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3], label: 'On this page' },
    externalLinkIcon: true,
    ...JSON.parse(readFileSync(`${pagesFolder}/navigation.json`, 'utf8')),
  },
})
