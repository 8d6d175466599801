-- Run once, on the primary, as the superuser. Replace the password.
create role doorcode login password 'replace-doorcode-password';
create database doorcode owner doorcode;
