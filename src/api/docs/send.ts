import type { FastifyReply } from 'fastify'
import { type Html, PAGE_HEADERS, page } from '../../lib/http/html.ts'
import type { Reader } from './reader.ts'

type Content = { title: string; main: Html; headers?: Record<string, string> }

export const sendPage = (
  reply: FastifyReply,
  { frame }: Reader,
  { title, main, headers = PAGE_HEADERS }: Content,
): FastifyReply => reply.headers(headers).send(page(title, main, frame))

export const sendMarkdown = (reply: FastifyReply, body: string | undefined): FastifyReply =>
  reply.type('text/markdown; charset=utf-8').send(body)
