/** Checks the links of the built site. A fault ends the build with exit code 1. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findSiteFaults } from './find-site-faults.ts'
import { listSiteFiles, parseSiteArguments, siteFolder } from './site-folder.ts'

const { base } = parseSiteArguments(process.argv.slice(2))
const files = listSiteFiles(siteFolder)
const pages = [...files]
  // The page of missing addresses has no links of its own.
  .filter(path => path.endsWith('.html') && path !== '404.html')
  .map(path => [path, readFileSync(join(siteFolder, path), 'utf8')] as const)
const faults = findSiteFaults(new Map(pages), files, base)
for (const fault of faults) console.error(`error: ${fault}`)
process.exitCode = faults.length === 0 ? 0 : 1
