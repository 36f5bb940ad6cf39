// Written by `list`, from the folder Page.
#include "CAppFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_app_js[] = {
#embed "Page/app.js"
};
static const unsigned char file_banner_js[] = {
#embed "Page/banner.js"
};
static const unsigned char file_bulk_js[] = {
#embed "Page/bulk.js"
};
static const unsigned char file_checklists_js[] = {
#embed "Page/checklists.js"
};
static const unsigned char file_clipboard_js[] = {
#embed "Page/clipboard.js"
};
static const unsigned char file_core_js[] = {
#embed "Page/core.js"
};
static const unsigned char file_dates_js[] = {
#embed "Page/dates.js"
};
static const unsigned char file_devices_js[] = {
#embed "Page/devices.js"
};
static const unsigned char file_file_js[] = {
#embed "Page/file.js"
};
static const unsigned char file_files_js[] = {
#embed "Page/files.js"
};
static const unsigned char file_icon_svg[] = {
#embed "Page/icon.svg"
};
static const unsigned char file_icons_js[] = {
#embed "Page/icons.js"
};
static const unsigned char file_inbox_js[] = {
#embed "Page/inbox.js"
};
static const unsigned char file_index_html[] = {
#embed "Page/index.html"
};
static const unsigned char file_keys_js[] = {
#embed "Page/keys.js"
};
static const unsigned char file_once_js[] = {
#embed "Page/once.js"
};
static const unsigned char file_parts_js[] = {
#embed "Page/parts.js"
};
static const unsigned char file_picture_js[] = {
#embed "Page/picture.js"
};
static const unsigned char file_reveal_js[] = {
#embed "Page/reveal.js"
};
static const unsigned char file_screens_css[] = {
#embed "Page/screens.css"
};
static const unsigned char file_screens_js[] = {
#embed "Page/screens.js"
};
static const unsigned char file_second_factor_js[] = {
#embed "Page/second-factor.js"
};
static const unsigned char file_secret_js[] = {
#embed "Page/secret.js"
};
static const unsigned char file_secrets_js[] = {
#embed "Page/secrets.js"
};
static const unsigned char file_sender_js[] = {
#embed "Page/sender.js"
};
static const unsigned char file_server_js[] = {
#embed "Page/server.js"
};
static const unsigned char file_sessions_js[] = {
#embed "Page/sessions.js"
};
static const unsigned char file_settings_js[] = {
#embed "Page/settings.js"
};
static const unsigned char file_shared_js[] = {
#embed "Page/shared.js"
};
static const unsigned char file_start_js[] = {
#embed "Page/start.js"
};
static const unsigned char file_statistics_js[] = {
#embed "Page/statistics.js"
};
static const unsigned char file_style_css[] = {
#embed "Page/style.css"
};
static const unsigned char file_task_form_js[] = {
#embed "Page/task-form.js"
};
static const unsigned char file_task_js[] = {
#embed "Page/task.js"
};
static const unsigned char file_tasks_js[] = {
#embed "Page/tasks.js"
};
static const unsigned char file_transfer_js[] = {
#embed "Page/transfer.js"
};
static const unsigned char file_uk_json[] = {
#embed "Page/uk.json"
};
static const unsigned char file_verify_js[] = {
#embed "Page/verify.js"
};

static const app_file files[] = {
    {"/app.js", file_app_js, sizeof file_app_js},
    {"/banner.js", file_banner_js, sizeof file_banner_js},
    {"/bulk.js", file_bulk_js, sizeof file_bulk_js},
    {"/checklists.js", file_checklists_js, sizeof file_checklists_js},
    {"/clipboard.js", file_clipboard_js, sizeof file_clipboard_js},
    {"/core.js", file_core_js, sizeof file_core_js},
    {"/dates.js", file_dates_js, sizeof file_dates_js},
    {"/devices.js", file_devices_js, sizeof file_devices_js},
    {"/file.js", file_file_js, sizeof file_file_js},
    {"/files.js", file_files_js, sizeof file_files_js},
    {"/icon.svg", file_icon_svg, sizeof file_icon_svg},
    {"/icons.js", file_icons_js, sizeof file_icons_js},
    {"/inbox.js", file_inbox_js, sizeof file_inbox_js},
    {"/index.html", file_index_html, sizeof file_index_html},
    {"/keys.js", file_keys_js, sizeof file_keys_js},
    {"/once.js", file_once_js, sizeof file_once_js},
    {"/parts.js", file_parts_js, sizeof file_parts_js},
    {"/picture.js", file_picture_js, sizeof file_picture_js},
    {"/reveal.js", file_reveal_js, sizeof file_reveal_js},
    {"/screens.css", file_screens_css, sizeof file_screens_css},
    {"/screens.js", file_screens_js, sizeof file_screens_js},
    {"/second-factor.js", file_second_factor_js, sizeof file_second_factor_js},
    {"/secret.js", file_secret_js, sizeof file_secret_js},
    {"/secrets.js", file_secrets_js, sizeof file_secrets_js},
    {"/sender.js", file_sender_js, sizeof file_sender_js},
    {"/server.js", file_server_js, sizeof file_server_js},
    {"/sessions.js", file_sessions_js, sizeof file_sessions_js},
    {"/settings.js", file_settings_js, sizeof file_settings_js},
    {"/shared.js", file_shared_js, sizeof file_shared_js},
    {"/start.js", file_start_js, sizeof file_start_js},
    {"/statistics.js", file_statistics_js, sizeof file_statistics_js},
    {"/style.css", file_style_css, sizeof file_style_css},
    {"/task-form.js", file_task_form_js, sizeof file_task_form_js},
    {"/task.js", file_task_js, sizeof file_task_js},
    {"/tasks.js", file_tasks_js, sizeof file_tasks_js},
    {"/transfer.js", file_transfer_js, sizeof file_transfer_js},
    {"/uk.json", file_uk_json, sizeof file_uk_json},
    {"/verify.js", file_verify_js, sizeof file_verify_js},
};

const app_file *app_file_at(size_t index) {
    return index < sizeof files / sizeof *files ? &files[index] : NULL;
}
