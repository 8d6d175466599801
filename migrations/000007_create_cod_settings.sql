-- The document is as src/cod/settings.ts reads and fills it: what must hold of it, it was checked for on its way in.
create table cod_settings (
  workspace_id uuid primary key references workspaces,
  document jsonb not null,
  updated_at timestamptz not null,
  constraint document_is_an_object check (jsonb_typeof(document) = 'object')
);
