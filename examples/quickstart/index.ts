import * as pulumi from '@pulumi/pulumi'
import { articles } from './almanac'
import { Site } from './site'

const config = new pulumi.Config()
const site = new Site('almanac', {
  title: config.require('title'),
  articles,
  // Set your own token with `antichain config set --secret token <text>`.
  token: config.getSecret('token') ?? pulumi.secret('a-word-between-members'),
})

export const folder = 'site'
export const index = site.index
export const pages = site.pageCount
export const files = site.fileCount
export const token = site.token
